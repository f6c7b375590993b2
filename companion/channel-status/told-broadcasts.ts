import type { AnswerOf } from '../../contract/field.ts'
import type { LocalEvent } from '../../contract/local-events.ts'
import { broadcastChanges, broadcastEnds } from '../../contract/operations/broadcasts.ts'
import type { channelDetails } from '../../contract/operations/local.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'

/** What pages are told of a broadcast; undefined for a change that this release does not know. */
export function broadcastOf(
  event: LocalEvent & { readonly type: 'broadcast' },
): Omit<AppEvent & { readonly type: 'broadcast' }, 'type' | 'profileId'> | undefined {
  const { cid, at, broadcastId } = event
  const change = broadcastChanges.find((known) => known === event.change)
  const how = broadcastEnds.find((known) => known === event.how)
  return change && { cid, at, broadcastId, change, ...(how && { how }) }
}

/** What a tally says of the broadcast on air and of the next one. */
export const broadcastsOf = ({ broadcastId, broadcastTitle, nextTitle }: AnswerOf<typeof channelDetails>) => ({
  ...(broadcastId !== undefined && { broadcastId }),
  ...(broadcastTitle !== undefined && { broadcastTitle }),
  ...(nextTitle !== undefined && { nextTitle }),
})
