/** The counter of places of the journal: one row, whose lock orders the changes of all services of a database. */
export interface JournalPositionTable {
  value: number
}

/** A change that every service of a database makes in memory (`journal/postgres-journal.ts`). */
export interface JournalEntryTable {
  place: number
  kind: string
  /** JSON. */
  body: string
  /** Place of the event that brought it, if one did. */
  event: number | null
  /** When it was stored, in ms. */
  at: number
}

/** Who has the turn on a key, or had it last (`journal/turn-locks.ts`). */
export interface TurnTable {
  name: string
  token: string
  /** When it began, in ms. */
  at: number
}

/** Tables of the journal that several services share. */
export interface JournalTables {
  journalPosition: JournalPositionTable
  journalEntry: JournalEntryTable
  turn: TurnTable
}
