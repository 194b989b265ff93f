# docker build -t bsdb . after mvn -B package -Dmaven.test.skip; docs/deployment.md says how to run it.
# Docker's default seccomp profile refuses io_uring: the readers then use threads, and say so.
FROM eclipse-temurin:17-jre
# With DuckDB; for an image without it: --build-arg ARCHIVE='archive/target/bsdb-*-lean.tar.gz'
ARG ARCHIVE=archive/target/bsdb-*[T0-9].tar.gz
RUN apt-get update && apt-get install -y --no-install-recommends liburing2 && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin bsdb
ADD ${ARCHIVE} /opt/
RUN ln -s /opt/bsdb-*/bin/bsdb /usr/local/bin/bsdb && bsdb archive-classes
USER 10001
# For 'serve --port 8080' without TLS; other commands have ended before it is asked.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD bash -c 'exec 3<>/dev/tcp/127.0.0.1/${BSDB_PORT:-8080} && printf "GET /health/live HTTP/1.0\r\nHost: localhost\r\n\r\n" >&3 && head -n 1 <&3 | grep -q " 200"'
ENTRYPOINT ["bsdb"]
