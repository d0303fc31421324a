# The server, the watcher and the command line in one image; compose.yaml says which of them a container is.
# Two stages: pip and its caches stay behind. Runs as an ordinary user whose data folder is a volume.
# Not well before something is indexed: the start period leaves time for a first ingest.
FROM python:3.11-slim AS build
RUN python -m venv /opt/vuedocs
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY vuedocs ./vuedocs
COPY evals/configs ./evals/configs
COPY evals/questions ./evals/questions
RUN /opt/vuedocs/bin/pip install --no-cache-dir --no-input -c constraints.txt .

FROM python:3.11-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends git ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /var/lib/vuedocs --shell /usr/sbin/nologin vuedocs
COPY --from=build /opt/vuedocs /opt/vuedocs
ENV PATH=/opt/vuedocs/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    VUEDOCS_HOME=/var/lib/vuedocs
USER 10001
VOLUME /var/lib/vuedocs
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15m --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
CMD ["vuedocs", "serve", "--http", "--host", "0.0.0.0", "--port", "8000"]
