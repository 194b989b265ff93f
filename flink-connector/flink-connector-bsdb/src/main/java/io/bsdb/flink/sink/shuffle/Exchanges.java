package io.bsdb.flink.sink.shuffle;

import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.transformations.PartitionTransformation;
import org.apache.flink.streaming.api.transformations.StreamExchangeMode;

/** Exchanges of a stream in which one part decides about the rest. */
public final class Exchanges {
  private Exchanges() {}

  /**
   * Makes Flink keep a stream until it has ended, whatever the mode of the job's other exchanges:
   * otherwise records would wait for a decision, which waits for the end of the records.
   *
   * @param exchanged to the tasks that read it
   */
  public static <T> DataStream<T> kept(DataStream<T> exchanged) {
    var exchange = (PartitionTransformation<T>) exchanged.getTransformation();
    @SuppressWarnings("unchecked") // an exchange gives what it is given
    var input = (Transformation<T>) exchange.getInputs().get(0);
    return new DataStream<>(
        exchanged.getExecutionEnvironment(),
        new PartitionTransformation<>(input, exchange.getPartitioner(), StreamExchangeMode.BATCH));
  }

  /** Runs an operator in as many tasks as its input. */
  public static <T> SingleOutputStreamOperator<T> besides(
      DataStream<?> input, SingleOutputStreamOperator<T> operator) {
    Transformation<?> transformation = input.getTransformation();
    operator
        .getTransformation()
        .setParallelism(transformation.getParallelism(), transformation.isParallelismConfigured());
    return operator;
  }
}
