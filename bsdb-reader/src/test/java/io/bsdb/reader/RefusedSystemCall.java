package io.bsdb.reader;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/**
 * Has the kernel refuse a system call from now on, by the means that containers use (seccomp). For
 * processes that are to end soon: it cannot be undone.
 */
final class RefusedSystemCall {
  /** What sets a ring up, and what registers files and buffers: the same numbers everywhere. */
  static final int IO_URING_SETUP = 425;

  static final int IO_URING_REGISTER = 427;

  private static final int PR_SET_SECCOMP = 22;
  private static final int PR_SET_NO_NEW_PRIVS = 38;
  private static final int MODE_FILTER = 2;
  private static final short LOAD_NUMBER = 0x20;
  private static final short JUMP_IF_EQUAL = 0x15;
  private static final short RETURN = 0x06;
  private static final int ALLOW = 0x7FFF0000;
  private static final int FAIL = 0x00050000;
  private static final int INSTRUCTION_BYTES = 8;

  static {
    Native.register("c");
  }

  private RefusedSystemCall() {}

  static native int prctl(int option, long second, Pointer third, long fourth, long fifth);

  /** For the calling thread and those that it starts. */
  static void of(int number, int errno) {
    Memory program = new Memory(4 * INSTRUCTION_BYTES);
    put(program, 0, LOAD_NUMBER, 0, 0);
    put(program, 1, JUMP_IF_EQUAL, 1, number);
    put(program, 2, RETURN, 0, FAIL | errno);
    put(program, 3, RETURN, 0, ALLOW);
    Memory filter = new Memory(16);
    filter.setShort(0, (short) 4);
    filter.setPointer(8, program);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, Pointer.NULL, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, MODE_FILTER, filter, 0, 0) != 0) {
      throw new IllegalStateException("no seccomp here: errno " + Native.getLastError());
    }
  }

  private static void put(Memory program, int index, short code, int elseSkip, int operand) {
    long start = (long) index * INSTRUCTION_BYTES;
    program.setShort(start, code);
    program.setByte(start + 2, (byte) 0);
    program.setByte(start + 3, (byte) elseSkip);
    program.setInt(start + 4, operand);
  }
}
