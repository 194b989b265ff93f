# docker build -t bsdb . after mvn -B package -Dmaven.test.skip; then docker run --rm -v /data:/data bsdb get --table /data/t -- key
# Docker's default seccomp profile refuses io_uring: the readers then use threads, and say so.
FROM eclipse-temurin:17-jre
RUN apt-get update && apt-get install -y --no-install-recommends liburing2 && rm -rf /var/lib/apt/lists/*
ADD bsdb-cli/target/bsdb-*.tar.gz /opt/
RUN ln -s /opt/bsdb-*/bin/bsdb /usr/local/bin/bsdb
ENTRYPOINT ["bsdb"]
