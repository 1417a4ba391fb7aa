-- Every instance runs this: only what is missing is added.
merge into event using (values
    (1, 'The Deadlock Quartet', 100, 100, 45.00),
    (2, 'An Evening with the Byzantine Generals', 40, 40, 72.50),
    (3, 'Split Brain, a Play for Two', 250, 250, 28.00)
) as sample (id, title, seats, seats_left, price) on event.id = sample.id
when not matched then insert (id, title, seats, seats_left, price)
    values (sample.id, sample.title, sample.seats, sample.seats_left, sample.price);

merge into settlement using (values (1)) as sample (id) on settlement.id = sample.id
when not matched then insert values (1, null, null, 0, 0, 0, 0);
