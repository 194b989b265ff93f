package io.bsdb.flink.catalog;

import java.util.List;
import org.apache.flink.table.catalog.AbstractCatalog;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogFunction;
import org.apache.flink.table.catalog.CatalogModel;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.expressions.Expression;

/**
 * The half of a catalog that is always empty: there are no views, functions, models and Flink
 * partitions, and statistics come from the snapshots.
 */
abstract class TablesOnlyCatalog extends AbstractCatalog {
  TablesOnlyCatalog(String name, String defaultDatabase) {
    super(name, defaultDatabase);
  }

  private static UnsupportedOperationException unsupported(String what) {
    return new UnsupportedOperationException("a catalog of type 'bsdb' " + what);
  }

  @Override
  public void alterDatabase(String name, CatalogDatabase database, boolean ignoreIfNotExists) {
    throw unsupported("keeps nothing of a database but its directory");
  }

  @Override
  public List<String> listViews(String database) {
    return List.of();
  }

  @Override
  public void renameTable(ObjectPath path, String newName, boolean ignoreIfNotExists) {
    throw unsupported(
        "does not rename tables, because running jobs would lose them; move the directory while none runs");
  }

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath path)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath path, CatalogPartitionSpec spec)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitionsByFilter(
      ObjectPath path, List<Expression> filters) throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public CatalogPartition getPartition(ObjectPath path, CatalogPartitionSpec spec)
      throws PartitionNotExistException {
    throw new PartitionNotExistException(getName(), path, spec);
  }

  @Override
  public boolean partitionExists(ObjectPath path, CatalogPartitionSpec spec) {
    return false;
  }

  @Override
  public void createPartition(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogPartition partition,
      boolean ignoreIfExists)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public void dropPartition(ObjectPath path, CatalogPartitionSpec spec, boolean ignoreIfNotExists)
      throws PartitionNotExistException {
    throw new PartitionNotExistException(getName(), path, spec);
  }

  @Override
  public void alterPartition(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogPartition newPartition,
      boolean ignoreIfNotExists)
      throws PartitionNotExistException {
    throw new PartitionNotExistException(getName(), path, spec);
  }

  @Override
  public List<String> listFunctions(String database) {
    return List.of();
  }

  @Override
  public CatalogFunction getFunction(ObjectPath path) throws FunctionNotExistException {
    throw new FunctionNotExistException(getName(), path);
  }

  @Override
  public boolean functionExists(ObjectPath path) {
    return false;
  }

  @Override
  public void createFunction(ObjectPath path, CatalogFunction function, boolean ignoreIfExists) {
    throw unsupported("keeps no functions; use CREATE TEMPORARY FUNCTION");
  }

  @Override
  public void alterFunction(ObjectPath path, CatalogFunction function, boolean ignoreIfNotExists) {
    throw unsupported("keeps no functions");
  }

  @Override
  public void dropFunction(ObjectPath path, boolean ignoreIfNotExists) {
    throw unsupported("keeps no functions");
  }

  @Override
  public void createModel(ObjectPath path, CatalogModel model, boolean ignoreIfExists) {
    throw unsupported("keeps no models; use CREATE TEMPORARY MODEL");
  }

  @Override
  public CatalogColumnStatistics getTableColumnStatistics(ObjectPath path) {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public CatalogTableStatistics getPartitionStatistics(ObjectPath path, CatalogPartitionSpec spec) {
    return CatalogTableStatistics.UNKNOWN;
  }

  @Override
  public CatalogColumnStatistics getPartitionColumnStatistics(
      ObjectPath path, CatalogPartitionSpec spec) {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public void alterTableStatistics(
      ObjectPath path, CatalogTableStatistics statistics, boolean ignoreIfNotExists) {
    throw unsupported("takes statistics from the snapshots alone");
  }

  @Override
  public void alterTableColumnStatistics(
      ObjectPath path, CatalogColumnStatistics statistics, boolean ignoreIfNotExists) {
    throw unsupported("takes statistics from the snapshots alone");
  }

  @Override
  public void alterPartitionStatistics(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogTableStatistics statistics,
      boolean ignoreIfNotExists) {
    throw unsupported("takes statistics from the snapshots alone");
  }

  @Override
  public void alterPartitionColumnStatistics(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogColumnStatistics statistics,
      boolean ignoreIfNotExists) {
    throw unsupported("takes statistics from the snapshots alone");
  }

  @Override
  public void close() throws CatalogException {}
}
