SET LOCAL lock_timeout = '1s';

CREATE TABLE IF NOT EXISTS interlock_lock (
	lock_id VARCHAR(64) NOT NULL,
	lock_name VARCHAR(255) NOT NULL,
	lock_key VARCHAR(255),
	token BIGINT NOT NULL,
	owner VARCHAR(64),
	owner_token BIGINT NOT NULL,
	instance VARCHAR(255),
	lease_end BIGINT NOT NULL,
	queued SMALLINT NOT NULL,
	PRIMARY KEY (lock_id)
) WITH (fillfactor = 70);

CREATE TABLE IF NOT EXISTS interlock_contender (
	contender VARCHAR(64) NOT NULL,
	lock_id VARCHAR(64) NOT NULL,
	instance VARCHAR(255) NOT NULL,
	lock_mode VARCHAR(16) NOT NULL,
	permits INTEGER NOT NULL,
	turn BIGINT NOT NULL,
	token BIGINT,
	lease_end BIGINT NOT NULL,
	PRIMARY KEY (contender)
) WITH (fillfactor = 70);

CREATE INDEX IF NOT EXISTS interlock_contender_lock ON interlock_contender (lock_id);

CREATE INDEX IF NOT EXISTS interlock_lock_end ON interlock_lock (lease_end);

CREATE INDEX IF NOT EXISTS interlock_contender_end ON interlock_contender (lease_end);

CREATE TABLE IF NOT EXISTS interlock_run (
	lock_id VARCHAR(64) NOT NULL,
	lock_name VARCHAR(255) NOT NULL,
	lock_key VARCHAR(255),
	instance VARCHAR(255) NOT NULL,
	started_at BIGINT NOT NULL,
	millis BIGINT NOT NULL,
	outcome VARCHAR(255) NOT NULL,
	succeeded_at BIGINT,
	PRIMARY KEY (lock_id)
);

CREATE TABLE IF NOT EXISTS interlock_version (
	version INTEGER NOT NULL,
	PRIMARY KEY (version)
);

INSERT INTO interlock_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM interlock_version);
