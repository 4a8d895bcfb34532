# docker build -t tictac . && docker run -p 5000:5000 -p 8080:8080 -v tictac:/data tictac
FROM python:3.13-slim AS build
COPY . /src
RUN python -m venv /opt/tictac \
    && /opt/tictac/bin/pip install --no-cache-dir '/src[postgres]' \
    # Twisted writes its list of plugins, which the server may not do.
    && /opt/tictac/bin/twistd --help >/dev/null

FROM python:3.13-slim
LABEL org.opencontainers.image.title=tictac \
    org.opencontainers.image.description="A game server on Twisted that speaks documented wire protocols" \
    org.opencontainers.image.licenses="MIT AND OFL-1.1"
COPY --from=build /opt/tictac /opt/tictac
COPY deploy/health.py /opt/tictac/health.py
RUN useradd --system --uid 10001 --home-dir /data --create-home tictac
ENV PATH=/opt/tictac/bin:$PATH
USER tictac
WORKDIR /data
VOLUME /data
EXPOSE 5000 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "/opt/tictac/health.py", "9100"]
# The process itself is PID 1: it drains on SIGTERM.
ENTRYPOINT ["twistd", "-n", "--pidfile=", "tictac", "--admin=tcp:9100:interface=127.0.0.1"]
CMD ["--port=5000", "--web=8080"]
