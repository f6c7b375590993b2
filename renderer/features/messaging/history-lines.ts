import { linkPushes, type LinkPush } from '../../../contract/link/frames.ts'
import { membersFault } from '../../../contract/validate.ts'
import { lineOf, type Line } from './conversation.ts'

/** The messages in a history. */
export const linesOf = (events: readonly object[]): Line[] =>
  events.flatMap((event) => {
    const isMessage = 't' in event && event.t === 'message' && membersFault(linkPushes.message, event) === undefined
    return isMessage ? [lineOf(event as LinkPush<'message'>)] : []
  })
