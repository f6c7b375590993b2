import { isCleanEnd, type BroadcastEnd } from '../../contract/operations/broadcasts.ts'
import { local } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { BroadcastSampleTable, BroadcastTable } from '../storage/broadcast-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { BroadcastsStore } from './broadcasts-store.ts'
import type { Broadcasts } from './broadcasts.ts'
import { readChatFigures } from './chat-figures.ts'

/** In thousandths. */
const averageOf = ({ viewers, measured }: { readonly viewers: number; readonly measured: number }): number =>
  measured === 0 ? 0 : Math.round((viewers * 1000) / measured)
const ending = (ended: number, how: string) => (ended === 0 ? {} : { ended, how })

const factsOf = (row: BroadcastTable) => {
  const { broadcastId, cid, channel, title, began, ended, how, pushes, peak } = row
  return {
    broadcastId,
    cid,
    channel,
    title: title === '' ? channel : title,
    began,
    ...ending(ended, how),
    ...(ended > 0 && { clean: isCleanEnd(how as BroadcastEnd) }),
    pushes,
    viewers: averageOf(row),
    peak,
  }
}
const sampleOf = (sample: Omit<BroadcastSampleTable, 'broadcastId'>) => {
  const { at, measured, known, kbps, kbpsLow, millifps, millifpsLow, peak, keyFrameGap, audioGap } = sample
  return {
    at,
    seconds: measured,
    viewers: averageOf(sample),
    peak,
    ...(known > 0 && {
      kbps: Math.round(kbps / known),
      kbpsLow,
      millifps: Math.round(millifps / known),
      millifpsLow,
      keyFrameGap,
      audioGap,
    }),
  }
}

/** The operations on broadcasts. */
export function broadcastOperations(options: {
  readonly broadcasts: Pick<Broadcasts, 'setTitle' | 'remove'>
  readonly store: Omit<BroadcastsStore, 'note' | 'open' | 'newest' | 'remove' | 'removeOld' | 'setTitle'>
  readonly reads: Kysely<Tables>
  readonly rooms: { ofChannel(uid: number, cid: string): { readonly row: { readonly roomid: number } } | undefined }
  readonly clock: Clock
}): Served[] {
  const { broadcasts, store, reads, rooms, clock } = options
  const own = async (operation: Operation, uid: number, broadcastId: string): Promise<BroadcastTable> => {
    const row = await store.one(broadcastId)
    if (!row) throw new Refused(operation.unknown, 'there is no such broadcast')
    if (row.uid !== uid) throw new Refused(operation.foreign, 'the broadcast belongs to another application')
    return row
  }
  return [
    serve(local.broadcasts, async (parameters, { application: { uid } }) => {
      const { cid, beginTime: from, endTime: to = Number.MAX_SAFE_INTEGER, limit, beforeBegan, beforeId } = parameters
      if ((beforeBegan === undefined) !== (beforeId === undefined))
        throw new Refused(631, 'beforeBegan and beforeId must be given together')
      const before =
        beforeBegan === undefined || beforeId === undefined ? undefined : { began: beforeBegan, broadcastId: beforeId }
      const { rows, more } = await store.page({ uid, cid, from, to, limit, before })
      return { ret: { list: rows.map(factsOf), more } }
    }),
    serve(local.broadcast, async ({ broadcastId }, { application: { uid } }) => {
      const row = await own(local.broadcast, uid, broadcastId)
      const { cid, began, ended, leftOut } = row
      const to = ended === 0 ? clock.now() : ended
      const roomid = rooms.ofChannel(uid, cid)?.row.roomid
      const [pushes, samples, events, vids, markers, chat] = await Promise.all([
        store.pushesOf(broadcastId),
        store.samplesOf(broadcastId),
        store.eventsOf(broadcastId),
        store.filesWithin(cid, began, to),
        store.markersWithin(cid, began, to),
        roomid === undefined ? undefined : readChatFigures(reads, { roomid, from: began, to }),
      ])
      return {
        ret: {
          ...factsOf(row),
          pushList: pushes.map((push) => ({ began: push.began, ...ending(push.ended, push.how) })),
          samples: samples.map(sampleOf),
          events: events.map(({ at, kind, state, detail, targetId, target }) => ({
            at,
            kind,
            ...(state !== null && { state }),
            ...(detail !== null && { detail }),
            ...(targetId !== null && { targetId }),
            ...(target !== null && { target }),
          })),
          eventsLeftOut: leftOut,
          vids,
          markers,
          ...(chat && roomid !== undefined && { chat: { roomid, ...chat } }),
        },
      }
    }),
    serve(local.setBroadcastTitle, async ({ broadcastId, title = '' }, { application: { uid } }) => {
      await broadcasts.setTitle(await own(local.setBroadcastTitle, uid, broadcastId), title)
      return {}
    }),
    serve(local.removeBroadcast, async ({ broadcastId }, { application: { uid } }) => {
      const row = await own(local.removeBroadcast, uid, broadcastId)
      if (!(await broadcasts.remove(row))) throw new Refused(631, 'the broadcast is on air')
      return {}
    }),
  ]
}
