-- Every instance runs this: only what is missing is added.
merge into event using (values
    (1, 'The Deadlock Quartet', 100, 100, 45.00),
    (2, 'An Evening with the Byzantine Generals', 40, 40, 72.50),
    (3, 'Split Brain, a Play for Two', 250, 250, 28.00)
) as sample (id, title, seats, seats_left, price) on event.id = sample.id
when not matched then insert (id, title, seats, seats_left, price)
    values (sample.id, sample.title, sample.seats, sample.seats_left, sample.price);

-- For demonstrations: 4 is sold without a lock and 5 with one, 6 at full speed, and the one
-- seat of 7 to a buyer whose write comes too late.
merge into event using (values
    (4, 'The Deadlock Quartet, without a lock', 100, 100, 45.00),
    (5, 'The Deadlock Quartet, with a lock', 100, 100, 45.00),
    (6, 'The Thundering Herd', 2000, 2000, 12.00),
    (7, 'A Late Write, for One', 1, 1, 90.00)
) as demo (id, title, seats, seats_left, price) on event.id = demo.id
when not matched then insert (id, title, seats, seats_left, price, listed)
    values (demo.id, demo.title, demo.seats, demo.seats_left, demo.price, false);

merge into settlement using (values (1)) as sample (id) on settlement.id = sample.id
when not matched then insert values (1, null, null, 0, 0, 0, 0);
