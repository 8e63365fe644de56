# docker build --build-arg PG_MAJOR=15 -t dpobj .
ARG PG_MAJOR=15
ARG DEBIAN_CODENAME=bookworm
FROM postgres:$PG_MAJOR-$DEBIAN_CODENAME
ARG PG_MAJOR

COPY . /tmp/dpobj

# What the module and the solver link stays, what builds them goes.
RUN apt-get update && \
	apt-mark hold locales && \
	apt-get install -y --no-install-recommends libgmp10 libmpfr6 libgsl27 libglpk40 && \
	apt-mark manual libgmp10 libmpfr6 libgsl27 libglpk40 && \
	apt-get install -y --no-install-recommends gcc make libc6-dev libgmp-dev libmpfr-dev libgsl-dev libglpk-dev libpq-dev postgresql-server-dev-$PG_MAJOR && \
	cd /tmp/dpobj && \
	make clean && \
	make && \
	make install && \
	mkdir /usr/share/doc/dpobj && \
	cp LICENSE README.md /usr/share/doc/dpobj && \
	cd / && \
	rm -r /tmp/dpobj && \
	apt-get purge -y gcc make libc6-dev libgmp-dev libmpfr-dev libgsl-dev libglpk-dev libpq-dev postgresql-server-dev-$PG_MAJOR && \
	apt-get autoremove -y && \
	apt-mark unhold locales && \
	rm -rf /var/lib/apt/lists/*

CMD ["postgres", "-c", "shared_preload_libraries=dpobj"]
