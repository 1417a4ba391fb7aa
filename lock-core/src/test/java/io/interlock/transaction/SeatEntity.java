package io.interlock.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * A row, as JPA sees it.
 */
@Entity
@Table(name = "seat")
class SeatEntity {

	@Id
	private int id;

	SeatEntity() {
	}

	SeatEntity(int id) {
		this.id = id;
	}

	int id() {
		return this.id;
	}

}
