/**
 * Messages to whoever is subscribed, on every node. They may be lost: what counts is in the database, from which it is
 * read after a gap.
 */
export interface Bus {
  /** Makes a topic; a name is of one kind of message. */
  topic<Message>(name: string): Topic<Message>
  /** Whether messages pass now. */
  up(): boolean
  /** Tells that messages pass again after some may have been lost; the returned function ends it. */
  onBack(call: () => void): () => void
  /** Resolves once all that was subscribed to is heard; at once while no messages pass, as `onBack` follows then. */
  settled(): Promise<void>
  /** Sends what waits, where that is soon done. No handler is called afterwards. */
  close(): Promise<void>
}

/** Messages of one kind. Those of a key come in the order in which they were published, the same for everybody. */
export interface Topic<Message> {
  /** Hands a plain JSON value to all who are subscribed to the key, those of this node among them. */
  publish(key: string | number, message: Message): void
  /** Hears the messages of a key, until the returned function is called. A handler that throws is logged. */
  subscribe(key: string | number, handler: (message: Message) => void): () => void
  /** False only where nobody can hear of the key: then nothing needs to be published. */
  isHeard(key: string | number): boolean
}
