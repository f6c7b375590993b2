import { events, type AppEvent } from '../../contract/rpc/events.ts'

type PushKind = (AppEvent & { type: 'push' })['kind']
const kinds: ReadonlySet<string> = new Set(events.push.schema.shape.kind.options)

/** Whether an event of a push is one that pages know. */
export const isPushKind = (kind: string): kind is PushKind => kinds.has(kind)
