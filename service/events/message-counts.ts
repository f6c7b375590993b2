/** Messages of one kind since the start; whoever stores or delivers them adds to it. */
export interface MessageCount {
  /** In the database. */
  stored: number
  /** Given to sessions, each counted. */
  delivered: number
}

/** Counts of conversations and of rooms. */
export interface MessageCounts {
  readonly conversations: MessageCount
  readonly rooms: MessageCount
}

/** Makes them, all 0. */
export const createMessageCounts = (): MessageCounts => ({
  conversations: { stored: 0, delivered: 0 },
  rooms: { stored: 0, delivered: 0 },
})
