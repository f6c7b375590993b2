import type { Delivery, Marker, OutgoingCallback, RecordedFile } from '../../contract/rpc/index.ts'
import type { Broadcast } from '../features/recordings/broadcast-groups.ts'
import { began } from './mounted.ts'

const minute = 60_000

/** A recorded file of channel 1 of half an hour, begun `vid` hours before a mounted page begins. */
export const recordedFile = (vid: number, change: Partial<RecordedFile> = {}): RecordedFile => {
  const begin = change.begin ?? began - vid * 60 * minute
  return {
    vid,
    cid: '1'.repeat(32),
    name: `file-${vid}`,
    key: `recordings/${vid}.mp4`,
    begin,
    end: begin + 30 * minute,
    format: 'mp4',
    bytes: 1_000_000,
    duration: 30 * minute,
    codecs: 'avc1.64001f mp4a.40.2',
    merged: false,
    ...change,
  }
}

/** A marker of channel 1, some minutes before a mounted page begins. */
export const marker = (markerId: number, minutesAgo: number, label = ''): Marker => ({
  markerId,
  cid: '1'.repeat(32),
  at: began - minutesAgo * minute,
  label,
})

/** A callback of the embedded service that was delivered. */
export const sentCallback = (vid: number, change: Partial<OutgoingCallback> = {}): OutgoingCallback => ({
  nId: `n${vid}`,
  vid,
  url: 'http://127.0.0.1:9000/callback',
  state: 'delivered',
  attempts: 1,
  at: began - minute,
  due: null,
  result: { code: 'status', params: { status: '200' } },
  ...change,
})

/** A callback that the app's receiver accepted. */
export const receivedCallback = (id: number, change: Partial<Delivery> = {}): Delivery => ({
  id,
  at: began - minute,
  verdict: 'accepted',
  stale: false,
  test: null,
  from: '127.0.0.1',
  why: null,
  fields: { vid: String(id), video_name: `file-${id}` },
  ...change,
})

/** A broadcast of channel 1 of an hour that ended cleanly, begun `hours` hours before a mounted page begins. */
export const listedBroadcast = (hours: number, change: Partial<Broadcast> = {}): Broadcast => ({
  broadcastId: `b${hours}`,
  cid: '1'.repeat(32),
  channel: 'Channel 1',
  title: `Show ${hours}`,
  began: began - hours * 60 * minute,
  ended: began - (hours - 1) * 60 * minute,
  how: 'stopped',
  clean: true,
  pushes: 1,
  viewers: 12_000,
  peak: 20,
  ...change,
})
