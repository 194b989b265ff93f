"""Lets the fuzzer send NDJSON, of which it knows nothing."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(_context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
