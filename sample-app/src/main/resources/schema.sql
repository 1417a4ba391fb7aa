-- "fence" has the highest token of the lock that wrote the row. Whoever comes with a
-- smaller one held the lock once, and lost it.
create table if not exists event (
    id bigint primary key,
    title varchar(100) not null,
    seats int not null,
    seats_left int not null,
    price decimal(8, 2) not null,
    fence bigint,
    -- Whether visitors may buy tickets for it, or it is there for a demonstration only.
    listed boolean default true not null
);

-- Nothing but the lock and its fence keeps two tickets off the same seat. That is the
-- point of this sample; a real box office would add "unique (event_id, seat)" as its next
-- line of defence.
create table if not exists ticket (
    id bigint generated always as identity primary key,
    event_id bigint not null references event (id),
    seat int not null,
    buyer varchar(100) not null,
    price decimal(8, 2) not null,
    sold_by varchar(100) not null,
    settled boolean default false not null
);

create index if not exists ticket_event on ticket (event_id);

create table if not exists instance (
    name varchar(100) primary key,
    url varchar(200) not null,
    locking boolean not null,
    started timestamp with time zone not null,
    heartbeat timestamp with time zone not null
);

-- One row: the latest settlement. "token" is its fence.
create table if not exists settlement (
    id int primary key,
    instance varchar(100),
    settled_at timestamp with time zone,
    runs bigint not null,
    tickets bigint not null,
    amount decimal(12, 2) not null,
    token bigint not null
);
