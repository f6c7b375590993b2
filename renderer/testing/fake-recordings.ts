import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { implement } from '@orpc/server'
import { rpc } from '../../contract/rpc/index.ts'
import type {
  Marker,
  MergeTask,
  OutgoingCallback,
  RecordedFile,
  RecordingState,
  Retention,
} from '../../contract/rpc/recording-state.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Channel, Tally } from '../../contract/rpc/state.ts'
import type { Scenario } from './fake-state.ts'

const hour = 3_600_000
const minute = 60_000
const stamp = (at: number): string =>
  new Date(at + 8 * hour).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)

/** Files of the last days: slices of both formats, some short, one merged. */
export function makeFiles(channels: readonly Channel[], now: number): RecordedFile[] {
  const of = (
    cid: string,
    filename: string,
    hoursAgo: number,
    minutes: number,
    vid: number,
    more: Partial<RecordedFile> = {},
  ): RecordedFile => {
    const begin = now - hoursAgo * hour
    const end = begin + minutes * minute
    return {
      vid,
      cid,
      begin,
      end,
      duration: minutes * minute,
      bytes: minutes * 45.2e6,
      format: 'mp4',
      codecs: 'H.264 High 1920x1080 9f31c2, AAC-LC 48000 Hz 2 77ab',
      merged: false,
      name: `${filename}_${stamp(begin)}_${stamp(end)}`,
      key: `${cid}_${begin}_${end}_${vid}-00000.mp4`,
      ...more,
    }
  }
  const [first, second, third] = channels
  if (!first || !second || !third) return []
  return [
    of(first.cid, 'LateNightRadio', 8.8, 60, 20_419),
    of(first.cid, 'LateNightRadio', 22.8, 90.92, 20_418),
    of(first.cid, 'LateNightRadio', 47.8, 120, 20_412),
    of(first.cid, 'LateNightRadio', 48.5, 43.77, 20_411, { format: 'flv' }),
    of(first.cid, 'LateNightRadio', 70.8, 74.15, 20_402),
    of(first.cid, 'LateNightRadio', 104, 192.3, 20_388, { name: 'Best_of_week_46', merged: true }),
    of(first.cid, 'LateNightRadio', 118.7, 120, 20_371),
    of(first.cid, 'LateNightRadio', 119, 12.35, 20_370, {
      codecs: 'H.264 High 1280x720 1b20aa, AAC-LC 48000 Hz 2 77ab',
    }),
    of(second.cid, '深夜电台', 28, 110, 20_415),
    of(second.cid, '深夜电台', 81, 95, 20_399),
    of(third.cid, third.cid, 33, 240, 20_414),
  ]
}

/** 2,000 slices of the last week over many channels. */
const manyFiles = (channels: readonly Channel[], now: number): RecordedFile[] =>
  Array.from({ length: 2_000 }, (_, index) => {
    const begin = now - (index % 150) * hour - 2 * hour
    const { cid, name } = channels[index % 150]!
    return {
      vid: index + 1,
      cid,
      begin,
      end: begin + 40 * minute,
      duration: 40 * minute,
      bytes: 1.8e9,
      format: 'mp4',
      codecs: 'H.264 High 1920x1080 9f31c2, AAC-LC 48000 Hz 2 77ab',
      merged: false,
      name: `${name.replace('_', '')}_${stamp(begin)}_${stamp(begin + 40 * minute)}`,
      key: `${cid}_${begin}_${index}.mp4`,
    }
  })

const recordingOf = (scenario: Scenario, status: number, needRecord: boolean, began: number): RecordingState => {
  const none = { reason: null, since: null, bytes: 0, cut: null } as const
  if (scenario === 'diskFull') return { ...none, state: 'stopped', reason: 'space' }
  if (status === 3)
    return {
      ...none,
      state: 'recording',
      since: began - 100 * minute - 51_000,
      bytes: 4.55e9,
      cut: began + 19 * minute + 9_000,
    }
  return { ...none, state: needRecord ? 'asked' : 'off' }
}

/** What is being recorded, as a subscription begins. */
export const recordingEvents = (scenario: Scenario, tallies: readonly Tally[], began: number): AppEvent[] =>
  tallies.flatMap((tally, index) =>
    tally.status === 3 || (scenario === 'diskFull' && index === 0)
      ? [
          {
            type: 'recording',
            profileId: 'local',
            cid: tally.cid,
            at: Date.now(),
            recording: recordingOf(scenario, tally.status, true, began),
          } satisfies AppEvent,
        ]
      : [],
  )

interface FakeParts {
  readonly scenario: Scenario
  readonly began: number
  readonly channels: () => readonly Channel[]
  readonly status: (cid: string) => number
  readonly failed: (code: number) => Error
  readonly change: (cid: string, choice: Partial<Channel>) => void
}

/** The procedures on recordings in memory. */
export function fakeRecordings({ scenario, began, channels, status, failed, change }: FakeParts) {
  const os = implement(rpc).recordings
  let files =
    scenario === 'empty' ? [] : scenario === 'many' ? manyFiles(channels(), began) : makeFiles(channels(), began)
  let tasks: MergeTask[] =
    scenario === 'full' || scenario === 'recording'
      ? [
          { taskId: 2, outputName: 'Best_of_week_46_cut', state: 'running', reason: null, done: 3.1e9, total: 4.84e9 },
          {
            taskId: 1,
            outputName: 'Monday_all',
            state: 'failed',
            reason: { code: 'room', params: {} },
            done: 0,
            total: 9e9,
          },
        ]
      : []
  let retention: Retention = { days: 0, gigabytes: 0 }
  const [first] = channels()
  let markers: Marker[] = first
    ? [
        { markerId: 1, cid: first.cid, at: began - 8.2 * hour, label: '' },
        { markerId: 2, cid: first.cid, at: began - 22 * hour, label: 'Guest joins' },
        { markerId: 3, cid: first.cid, at: began - 22 * hour + 2 * minute, label: 'First goal' },
      ]
    : []
  let callbacks: OutgoingCallback[] = (['delivered', 'waiting', 'failed', 'delivered'] as const).map(
    (state, index) => ({
      nId: `8f21c7${index}`,
      vid: [20_419, 20_418, 20_412, 20_411][index] ?? null,
      url: 'http://127.0.0.1:9000/callback',
      state,
      attempts: state === 'delivered' ? 1 : state === 'failed' ? 9 : 4,
      at: began - index * 40 * minute,
      due: state === 'waiting' ? began + 9 * minute : null,
      result:
        state === 'failed'
          ? { code: 'refused', params: {} }
          : { code: 'status', params: { status: state === 'delivered' ? '200' : '503' } },
    }),
  )
  return {
    state: os.state.handler(({ input }) =>
      input.profileId === 'local'
        ? recordingOf(
            scenario,
            status(input.cid),
            channels().find((channel) => channel.cid === input.cid)?.needRecord ?? false,
            began,
          )
        : null,
    ),
    configure: os.configure.handler(({ input: { profileId: _profile, cid, ...choice } }) => {
      if (scenario === 'failing') throw failed(723)
      change(cid, choice)
    }),
    list: os.list.handler(({ input }) => {
      if (scenario === 'failing') throw failed(501)
      return {
        files: files
          .filter(
            (file) =>
              input.cids.includes(file.cid) && (file.end ?? 0) >= input.beginTime && (file.begin ?? 0) <= input.endTime,
          )
          .sort((a, b) => (b.begin ?? 0) - (a.begin ?? 0))
          .map((file) =>
            input.profileId === 'local' ? file : { ...file, bytes: null, duration: null, codecs: null, merged: null },
          ),
      }
    }),
    deletedChannels: os.deletedChannels.handler(() => []),
    all: os.all.handler(() => ({ files: [], more: false })),
    ticket: os.ticket.handler(({ input }) => ({ path: `/media/file/${input.vid}.mp4` })),
    remove: os.remove.handler(({ input }) => {
      files = files.filter((file) => !input.vids.includes(file.vid))
      return { removed: input.vids }
    }),
    merge: os.merge.handler(({ input }) => {
      if (scenario === 'poor') throw failed(639)
      tasks = [
        {
          taskId: tasks.length + 1,
          outputName: input.outputName,
          state: 'running',
          reason: null,
          done: 1e9,
          total: 4e9,
        },
        ...tasks,
      ]
    }),
    merges: os.merges.handler(({ input }) => ({
      tasks: input.profileId === 'local' ? tasks : null,
      calls: tasks.length ? [began - 20_000] : [],
    })),
    cancelMerge: os.cancelMerge.handler(({ input }) => {
      tasks = tasks.map((task) => (task.taskId === input.taskId ? { ...task, state: 'cancelled' } : task))
    }),
    mark: os.mark.handler(({ input }) => {
      const marker = { markerId: markers.length + 1, cid: input.cid, at: Date.now(), label: input.label }
      markers = [...markers, marker]
      return marker
    }),
    markers: os.markers.handler(({ input }) =>
      markers.filter(
        (marker) =>
          input.profileId === 'local' &&
          input.cids.includes(marker.cid) &&
          marker.at >= input.beginTime &&
          marker.at <= input.endTime,
      ),
    ),
    show: os.show.handler(() => undefined),
    renameMarker: os.renameMarker.handler(({ input }) => {
      markers = markers.map((marker) =>
        marker.markerId === input.markerId ? { ...marker, label: input.label } : marker,
      )
    }),
    removeMarker: os.removeMarker.handler(({ input }) => {
      markers = markers.filter((marker) => marker.markerId !== input.markerId)
    }),
    retention: os.retention.handler(() => retention),
    setRetention: os.setRetention.handler(({ input: { days, gigabytes } }) => {
      if (scenario === 'failing') throw failed(501)
      return (retention = { days, gigabytes })
    }),
    callbacks: os.callbacks.handler(({ input }) =>
      scenario === 'empty'
        ? { list: [], waiting: 0 }
        : {
            list: callbacks.slice(0, input.limit),
            waiting: callbacks.filter((each) => each.state === 'waiting').length,
          },
    ),
    resend: os.resend.handler(({ input }) => {
      callbacks = callbacks.map((each) =>
        each.nId === input.nId ? { ...each, state: 'waiting', due: Date.now() } : each,
      )
    }),
  }
}

let clip: Buffer | undefined
/** Makes a few seconds of MP4 once. */
function clipOf(): Buffer {
  if (clip) return clip
  const file = path.join(tmpdir(), `sidestage-clip-${process.pid}.mp4`)
  execFileSync('ffmpeg', [
    '-y',
    '-loglevel',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=640x360:rate=30',
    '-t',
    '6',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-pix_fmt',
    'yuv420p',
    '-movflags',
    '+faststart',
    file,
  ])
  clip = readFileSync(file)
  rmSync(file)
  return clip
}

/** Answers for a recorded file, with one range. */
export function recordedFile(request: IncomingMessage, response: ServerResponse): void {
  const bytes = clipOf()
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const begin = from === undefined ? 0 : Number(from)
  const end = to === undefined || to === '' ? bytes.length - 1 : Number(to)
  response.writeHead(from === undefined ? 200 : 206, {
    'content-type': 'video/mp4',
    'accept-ranges': 'bytes',
    'content-length': end - begin + 1,
    ...(from === undefined ? {} : { 'content-range': `bytes ${begin}-${end}/${bytes.length}` }),
  })
  response.end(bytes.subarray(begin, end + 1))
}
