import { h, type Component } from 'vue'
import StudioView from '../features/studio/studio-view.vue'
import type { SeatBoard } from '../../contract/rpc/index.ts'
import { makeBroadcast } from './broadcast-values.ts'
import { answered, makeHold } from './fake-hold.ts'
import { makeObs } from './fake-obs.ts'
import { makeTargets } from './fake-targets.ts'
import type { Answers } from './memory-client.ts'
import {
  began,
  channel,
  figures,
  mounted,
  service,
  tallies,
  tally,
  type Mounted,
  type MountOptions,
} from './mounted.ts'
import { sheetAnswers } from './share-values.ts'

/** A channel that is recorded with its next push, and nothing is on air. */
export const waiting = channel(3, { needRecord: true, name: 'Night Radio' })
const day = 86_400_000
const past = [1, 2, 3, 4].map((number) =>
  makeBroadcast(began - number * day, waiting.cid, {
    broadcastId: String(number).repeat(24),
    title: `Night Radio ${214 - number}`,
  }),
)
const listed = (one: (typeof past)[0]) => ({
  broadcastId: one.broadcastId,
  cid: one.cid,
  channel: one.channel,
  title: one.title,
  began: one.began,
  ended: one.ended!,
  how: one.how!,
  clean: one.clean!,
  pushes: one.pushes,
  viewers: one.viewers,
  peak: one.peak,
})

const emptyBoard: SeatBoard = {
  listener: {
    phase: 'off',
    open: false,
    port: 0,
    urls: [],
    reason: null,
    certificate: 'none',
    fingerprint: null,
    certificateUntil: null,
    failures: 0,
  },
  seats: [],
  unwritten: null,
}

/** Everything that the Studio asks for, all of it in order. */
const answers = (keyLeft: number): Answers => ({
  'push.card': ({ cid }) => ({
    server: 'rtmp://127.0.0.1:1935/live',
    keyStart: cid.slice(0, 4),
    keyEnd: '4812',
    expires: began + keyLeft,
  }),
  'preview.open': () => ({ flv: null, hls: null }),
  'profiles.test': () => ({ channels: 1, milliseconds: 4 }),
  'rooms.chat': () => ({ on: true, roomid: 7, people: 0 }),
  'rooms.linked': () => ({ roomid: null }),
  'rooms.list': () => ({ complete: true, rooms: [], next: null }),
  'seats.board': () => emptyBoard,
  'recordings.state': () => null,
  'recordings.list': () => ({ files: [] }),
  'recordings.callbacks': () => ({ list: [], waiting: 0 }),
  'health.recent': () => ({ samples: [], turns: [] }) as never,
  'targets.list': () => makeTargets('none', began),
  'operations.hold.hold': () => answered(makeHold()),
  'operations.broadcast.broadcasts': ({ call }) => ({
    code: 200,
    ret: { list: past.slice(0, call.limit).map(listed), more: true },
  }),
  'operations.broadcast.broadcast': ({ call }) => ({
    code: 200,
    ret: past.find(({ broadcastId }) => broadcastId === call.broadcastId)!,
  }),
  ...sheetAnswers(),
})

/** Where the window has the screen: below its bar, beside the navigation, above the status bar. */
const inWindow: Component = {
  render: () =>
    h('div', { style: 'position: fixed; inset: 44px 0 24px 72px; display: flex; flex-direction: column' }, [
      h(StudioView),
    ]),
}

/** Opens the Studio of a channel that is not on air. `keyLeft`: of the push address, in ms. */
export const openBefore = ({
  obs = 'off',
  keyLeft = 20 * day,
  ...options
}: MountOptions & {
  readonly obs?: Parameters<typeof makeObs>[0]
  readonly keyLeft?: number
} = {}): Promise<Mounted> =>
  mounted(inWindow, {
    channels: [waiting],
    path: `/studio/${waiting.cid}`,
    ...options,
    events: [service('running'), { type: 'obs', obs: makeObs(obs, began) }, ...(options.events ?? [])],
    answers: { ...answers(keyLeft), ...options.answers },
  })

/** On air and recorded. */
export const onAir = channel(3, { status: 3, needRecord: true, name: 'Night Radio' })

/** Opens the Studio of a channel that is on air. */
export const openOnAir = async (options: Parameters<typeof openBefore>[0] = {}): Promise<Mounted> => {
  const on = await openBefore({
    channels: [onAir],
    ...options,
    answers: {
      'recordings.state': () => ({
        state: 'recording',
        reason: null,
        since: began - 60_000,
        bytes: 63e6,
        cut: began + 1_297_000,
      }),
      'recordings.mark': ({ cid, label }) => ({ markerId: 1, cid, at: began, label }),
      ...options.answers,
    },
  })
  await on.tell(tallies([tally(onAir)]), figures(onAir, { kbps: 6_012, fps: 60 }))
  return on
}
