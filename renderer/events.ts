import type { Pinia } from 'pinia'
import { inBackground } from './background.ts'
import type { AppEvent } from '../contract/rpc/events.ts'
import type { RpcClient } from './data/client.ts'
import { useBroadcastNews } from './features/broadcasts/broadcast-news.ts'
import { useChannels } from './features/channels/channels.ts'
import { useCompanion } from './data/companion.ts'
import { useHolds } from './features/hold/holds.ts'
import { useJoined } from './features/remote-rooms/joined.ts'
import { useKeeping } from './features/this-computer/keeping.ts'
import { useLive } from './features/channels/live.ts'
import { useMessageCopies } from './features/receivers/message-copies.ts'
import { useMessaging } from './features/messaging/messaging.ts'
import { useObs } from './features/obs/obs.ts'
import { useRecordings } from './features/channels/recorded.ts'
import { useRoomHeld } from './features/rooms/room-held.ts'
import { useRoom } from './features/rooms/room.ts'
import { useSeats } from './features/moderators/seats.ts'
import { useShareNews } from './features/share/share-news.ts'
import { useTargets } from './features/channels/targets.ts'

/** Passes an event to the stores. */
export function applyEvent(event: AppEvent, pinia: Pinia, now: number): void {
  const companion = useCompanion(pinia)
  const channels = useChannels(pinia)
  const phaseBefore = companion.service?.phase
  const faultBefore = channels.hostFault
  companion.apply(event)
  const watched = companion.extended
    ? channels.ordered
        .filter((row) => row.lamp === 'live' || row.lamp === 'recording' || row.cid === channels.opened)
        .map((row) => row.cid)
    : []
  useLive(pinia).apply(event, now, watched)
  useRecordings(pinia).apply(event)
  useBroadcastNews(pinia).apply(event)
  useTargets(pinia).apply(event)
  useHolds(pinia).apply(event)
  useRoom(pinia).apply(event)
  useRoomHeld(pinia).apply(event)
  useMessaging(pinia).apply(event)
  useMessageCopies(pinia).apply(event)
  useObs(pinia).apply(event)
  useSeats(pinia).apply(event)
  useShareNews(pinia).apply(event)
  useKeeping(pinia).apply(event)
  useJoined(pinia).apply(event)
  if (event.type === 'channels') inBackground(channels.refresh(event.profileId))
  // A host answers again: read what failed to be read before.
  if (
    event.type === 'tallies' &&
    faultBefore !== null &&
    channels.hostFault === null &&
    channels.slice.failure !== null
  )
    inBackground(channels.refresh())
  // The list may have changed while the service was down.
  if (event.type === 'service' && event.service.phase === 'running' && phaseBefore !== 'running' && companion.local)
    inBackground(channels.refresh())
}

/** Applies the companion's events; calls `broken` if they end before the connection does. */
export async function followEvents(
  client: RpcClient,
  signal: AbortSignal,
  pinia: Pinia,
  broken: () => void,
): Promise<void> {
  const companion = useCompanion(pinia)
  try {
    companion.about = await client.app.about()
    // No signal: aborting would send a message on a lost connection.
    const events = await client.app.events()
    for await (const event of events) applyEvent(event, pinia, Date.now())
  } catch {
    // The connection reports its own end.
  }
  if (!signal.aborted) broken()
}
