// Long because it is one companion: every procedure that pages ask for, read beside the contract.
import { createServer, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ORPCError, implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import { WebSocketServer } from 'ws'
import { inBackground } from '../background.ts'
import { rpc, type FailureData } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/events.ts'
import type { Settings } from '../../contract/rpc/state.ts'
import { firstRecordingDefaults } from '../../contract/switched-recording.ts'
import {
  makeChannels,
  makeDeliveries,
  manyChannels,
  makeFigures,
  makeLog,
  makeProfiles,
  makeReceiver,
  makeService,
  makeTallies,
  type Scenario,
} from './fake-state.ts'
import { fakeComputer, fakeKeeping, makeComputer, makeKept } from './fake-computer.ts'
import { fakeCall } from './fake-console.ts'
import { fakeCopies } from './fake-copies.ts'
import { fakeHealth } from './fake-health.ts'
import { fakeBroadcasts } from './fake-broadcasts.ts'
import { fakeHold, makeHoldScene, type HoldScene } from './fake-hold.ts'
import { fakeMessaging, messagingEvents } from './fake-messaging.ts'
import { fakeObs, makeObs } from './fake-obs.ts'
import { fakeRooms, roomEvents } from './fake-rooms.ts'
import { fakeRecordings, recordingEvents, recordedFile } from './fake-recordings.ts'
import { fakeSeats, seatEvents } from './fake-seats.ts'
import { fakeSupport } from './fake-support.ts'
import { fakeTargets, type TargetScene } from './fake-targets.ts'
import { startLivePicture, type LivePicture } from './live-picture.ts'

/** The companion's contract in memory, behind a page under the shells' policy. For pictures and page tests only. */
export interface FakeCompanion {
  readonly url: string
  readonly port: number
  /** Ends every line as a crash of the companion would, and refuses new ones until called with false. */
  cutLines(refuse: boolean): void
  /** Takes the channel's push off the air, and on again, recorded or not. */
  air(on: boolean | 'recorded'): void
  /** HTTP-FLV readers that are connected now. */
  readonly streams: number
  setSettings(settings: Partial<Settings>): void
  /** Has a procedure, by its path as in `recordings.configure`, fail with a kind of failure until it is called with null. */
  refuse(procedure: string, kind: string | null): void
  /** Sends an event to every page. */
  tell(event: AppEvent): void
  close(): Promise<void>
}

interface FakeOptions {
  readonly scenario: Scenario
  readonly page: string
  readonly settings?: Partial<Settings>
  readonly signedIn?: boolean
  readonly picture?: boolean
  readonly port?: number
  readonly targets?: TargetScene
  readonly hold?: HoldScene
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; media-src 'self' blob:; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
}

const failed = (code: number): ORPCError<'FAILED', unknown> =>
  new ORPCError('FAILED', {
    defined: true,
    status: 500,
    message: 'refused',
    data: { kind: 'code', code, skewSeconds: null, detail: `request 8f21c7, /app/channel answered ${code}` },
  })
const cannot = (kind: string, more: Partial<FailureData> = {}): ORPCError<'FAILED', unknown> =>
  new ORPCError('FAILED', {
    defined: true,
    status: 500,
    message: kind,
    data: { kind, code: null, skewSeconds: null, detail: `connect ECONNREFUSED 203.0.113.7:443 (${kind})`, ...more },
  })

/** Starts the fake on a free port of 127.0.0.1. */
export async function startFakeCompanion(options: FakeOptions): Promise<FakeCompanion> {
  const { scenario } = options
  const began = Date.now()
  let channels =
    scenario === 'empty'
      ? []
      : (scenario === 'many' ? manyChannels : makeChannels)(began).map((channel, index) =>
          index === 0 && (scenario === 'recording' || scenario === 'diskFull')
            ? { ...channel, needRecord: true, status: scenario === 'recording' ? 3 : 1, filename: 'LateNightRadio' }
            : channel,
        )
  let tallies = makeTallies(channels, began, scenario)
  let profiles = makeProfiles(scenario)
  let settings: Settings = {
    theme: 'dark',
    language: 'en',
    mutePresets: null,
    roomKeys: {},
    recording: firstRecordingDefaults,
    globalKeys: {},
    notices: [],
    startAtLogin: false,
    closeToTray: false,
    ...options.settings,
  }
  let refusing = false
  const refusals = new Map<string, string>()
  const key = 'f3a1c95e0b7d4e6a8c21904f5d7be8a6'
  const listeners = new Set<(event: AppEvent) => void>()
  const picture: LivePicture | undefined = options.picture ? await startLivePicture(4) : undefined
  const hosted = (id: string): boolean => id !== 'local'
  const tell = (event: AppEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const talliesOf = (profileId: string): AppEvent => ({
    type: 'tallies',
    profileId,
    at: Date.now() - (hosted(profileId) ? (scenario === 'hostedFault' ? 94_000 : 7_000) : 0),
    source: hosted(profileId) ? 'poll' : 'event',
    ...(hosted(profileId) && scenario === 'hostedFault'
      ? {
          fault: 'poll',
          failure: {
            kind: 'refused' as const,
            code: null,
            skewSeconds: null,
            detail: 'live.example.com: ECONNREFUSED',
          },
        }
      : { fault: null }),
    tallies: hosted(profileId)
      ? tallies.map((tally) => ({ ...tally, since: null, viewers: null, keyExpires: null }))
      : tallies,
  })
  const figuresAt = (at: number): AppEvent[] =>
    scenario === 'fault'
      ? []
      : tallies.flatMap((tally, index) =>
          tally.status === 1 || tally.status === 3
            ? [
                {
                  type: 'figures',
                  profileId: 'local',
                  cid: tally.cid,
                  at,
                  figures: makeFigures(at, index, scenario),
                } satisfies AppEvent,
              ]
            : [],
        )
  const setStatus = (cid: string, status: number): void => {
    channels = channels.map((channel) => (channel.cid === cid ? { ...channel, status } : channel))
    tallies = tallies.map((tally) =>
      tally.cid === cid ? { ...tally, status, since: status === 1 || status === 3 ? Date.now() : null } : tally,
    )
    tell(talliesOf('local'))
  }

  const os = implement(rpc)
  const batch = (procedure: 'remove' | 'disable' | 'resume') =>
    os.channels[procedure].handler(async ({ input }) => {
      const results = input.cids.map((cid, index) => {
        const known = channels.find((channel) => channel.cid === cid)
        const wrong = scenario === 'failing' && index % 2 === 0
        const ok =
          !wrong &&
          known !== undefined &&
          (procedure !== 'disable' || known.status !== 2) &&
          (procedure !== 'resume' || known.status === 2)
        if (ok && procedure !== 'remove') setStatus(cid, procedure === 'disable' ? 2 : 0)
        if (ok && procedure === 'remove') channels = channels.filter((channel) => channel.cid !== cid)
        return { cid, ok, code: ok ? null : procedure === 'disable' ? 629 : procedure === 'resume' ? 630 : 603 }
      })
      await new Promise((resolve) => setTimeout(resolve, 150))
      return { results }
    })
  const card = (cid: string) => {
    const at = tallies.find((tally) => tally.cid === cid)
    return {
      server: 'rtmp://127.0.0.1:1935/live',
      keyStart: cid.slice(0, 4),
      keyEnd: '4812',
      expires: at?.keyExpires ?? null,
    }
  }
  const messaging = fakeMessaging({ scenario, began, tell, failed, cannot })
  const rooms = fakeRooms({ scenario, began, tell, failed, cannot })
  const router = {
    app: {
      about: os.app.about.handler(() => ({
        version: '0.1.0',
        shell: 'browser',
        platform: 'linux',
        capabilities: ['desktopDownload', 'showInFolder'],
        shellReason: 'no display',
        seat: null,
      })),
      events: os.app.events.handler(async function* ({ signal }) {
        const queue: AppEvent[] = [
          { type: 'service', service: makeService(began, scenario) },
          { type: 'profiles', profiles },
          { type: 'settings', settings },
          { type: 'computer', computer: makeComputer(scenario, began) },
          { type: 'setAside', kept: makeKept(scenario, began) },
          {
            type: 'download',
            download:
              scenario === 'download'
                ? { phase: 'downloading', received: 38e6, total: 112e6, reason: null }
                : { phase: 'none', received: 0, total: null, reason: null },
          },
          ...profiles.map((profile) => talliesOf(profile.id)),
          ...Array.from({ length: 118 }, (_, second) => figuresAt(Date.now() - (118 - second) * 1_000)).flat(),
          ...tallies.flatMap((tally) => (tally.since === null ? [] : makeLog(tally.cid, tally.since))),
          ...recordingEvents(scenario, tallies, began),
          ...messagingEvents(scenario, began),
          ...roomEvents(scenario),
          ...seatEvents(began, scenario === 'empty'),
          ...(options.hold === 'holding'
            ? tallies.slice(0, 1).map(({ cid }) => ({
                type: 'hold' as const,
                profileId: 'local',
                cid,
                at: Date.now(),
                hold: makeHoldScene('holding', Date.now()),
              }))
            : []),
          { type: 'obs', obs: makeObs(scenario === 'full' ? 'live' : 'off', began) },
        ]
        let wake: (() => void) | undefined
        const listen = (event: AppEvent): void => {
          queue.push(event)
          wake?.()
        }
        listeners.add(listen)
        signal?.addEventListener('abort', () => wake?.())
        try {
          while (!signal?.aborted) {
            for (let event = queue.shift(); event; event = queue.shift()) yield event
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        } finally {
          listeners.delete(listen)
        }
      }),
      changeSettings: os.app.changeSettings.handler(({ input }) => {
        settings = {
          ...settings,
          ...(Object.fromEntries(
            Object.entries(input).filter(([, value]) => value !== undefined),
          ) as Partial<Settings>),
        }
        tell({ type: 'settings', settings })
        return settings
      }),
      open: os.app.open.handler(({ input }) => {
        tell({ type: 'opened', cid: input.cid })
      }),
      restartService: os.app.restartService.handler(() => undefined),
      serviceLog: os.app.serviceLog.handler(() => [
        `{"level":30,"time":${began - 20_000},"msg":"rtmp listening","port":1935}`,
        `{"level":50,"time":${began - 14_000},"msg":"listen EADDRINUSE 127.0.0.1:1935"}`,
        `{"level":40,"time":${began - 12_000},"msg":"restart 1 failed"}`,
      ]),
      cancelDownload: os.app.cancelDownload.handler(() => {
        tell({ type: 'download', download: { phase: 'cancelled', received: 0, total: null, reason: null } })
      }),
      checkUpdate: os.app.checkUpdate.handler(() => undefined),
      installUpdate: os.app.installUpdate.handler(() => ({ installing: false })),
      openLink: os.app.openLink.handler(() => undefined),
    },
    profiles: {
      check: os.profiles.check.handler(({ input }) => {
        if (input.appSecret === 'wrong') throw cannot('signature')
        if (input.liveUrl.includes('clock')) throw cannot('clock', { skewSeconds: 347 })
        if (input.liveUrl.includes('cert')) throw cannot('certificate')
        if (input.liveUrl.includes('other')) throw cannot('notOurs')
        if (input.liveUrl.includes('down')) throw cannot('unreachable')
        return { channels: 12 }
      }),
      add: os.profiles.add.handler(({ input }) => {
        const { appSecret: _secret, ...rest } = input
        const profile = {
          id: `hosted-${profiles.length}`,
          kind: 'hosted' as const,
          extended: false,
          media: null,
          secret: 'keychain' as const,
          ...rest,
        }
        profiles = [...profiles, profile]
        tell({ type: 'profiles', profiles })
        return profile
      }),
      update: os.profiles.update.handler(({ input }) => {
        const old = profiles.find((profile) => profile.id === input.profileId)
        if (!old) throw cannot('absent')
        const changed = {
          ...old,
          name: input.name ?? old.name,
          liveUrl: input.liveUrl ?? old.liveUrl,
          messagingUrl: input.messagingUrl ?? old.messagingUrl,
          appKey: input.appKey ?? old.appKey,
        }
        profiles = profiles.map((profile) => (profile.id === old.id ? changed : profile))
        tell({ type: 'profiles', profiles })
        return changed
      }),
      remove: os.profiles.remove.handler(({ input }) => {
        profiles = profiles.filter((profile) => profile.id !== input.profileId)
        tell({ type: 'profiles', profiles })
      }),
      test: os.profiles.test.handler(({ input }) => {
        const isDown = profiles.find(({ id }) => id === input.profileId)?.liveUrl.includes('down') === true
        if (isDown || (scenario === 'hostedFault' && hosted(input.profileId))) throw cannot('unreachable')
        return { channels: channels.length, milliseconds: 18 }
      }),
    },
    channels: {
      list: os.channels.list.handler(async () => {
        if (scenario === 'failing' && channels.length === 0) throw failed(602)
        if (scenario === 'loading') await new Promise(() => undefined)
        return { channels, total: channels.length }
      }),
      create: os.channels.create.handler(({ input }) => {
        if (scenario === 'failing') throw failed(501)
        if (channels.some((channel) => channel.name === input.name)) throw failed(611)
        const cid = Array.from({ length: 4 }, () => Math.random().toString(16).slice(2, 10).padEnd(8, '0')).join('')
        channels = [
          {
            cid,
            name: input.name,
            status: 0,
            created: Date.now(),
            needRecord: false,
            format: 'mp4',
            duration: 120,
            filename: '',
          },
          ...channels,
        ]
        tallies = [{ cid, status: 0, since: null, viewers: 0, keyExpires: Date.now() + 30 * 86_400_000 }, ...tallies]
        tell(talliesOf('local'))
        return { cid, recording: 'asIs' as const }
      }),
      rename: os.channels.rename.handler(({ input }) => {
        if (channels.some((channel) => channel.name === input.name)) throw failed(611)
        channels = channels.map((channel) => (channel.cid === input.cid ? { ...channel, name: input.name } : channel))
      }),
      remove: batch('remove'),
      disable: batch('disable'),
      resume: batch('resume'),
    },
    push: {
      card: os.push.card.handler(({ input }) =>
        hosted(input.profileId) ? { ...card(input.cid), server: 'rtmp://push.example.com/live' } : card(input.cid),
      ),
      reveal: os.push.reveal.handler(({ input }) => ({ key: `${input.cid}?wsSecret=${key}&wsTime=1797921600` })),
      copy: os.push.copy.handler(({ input }) => ({
        text:
          input.part === 'key'
            ? `${input.cid}?wsSecret=${key}&wsTime=1797921600`
            : `rtmp://127.0.0.1:1935/live/${input.cid}?wsSecret=${key}&wsTime=1797921600`,
      })),
      replaceKey: os.push.replaceKey.handler(({ input }) => card(input.cid)),
      renew: os.push.renew.handler(({ input }) => {
        tallies = tallies.map((tally) =>
          tally.cid === input.cid ? { ...tally, keyExpires: Date.now() + 30 * 86_400_000 } : tally,
        )
        tell(talliesOf('local'))
        return card(input.cid)
      }),
    },
    recordings: fakeRecordings({
      scenario,
      began,
      channels: () => channels,
      status: (cid) => tallies.find((tally) => tally.cid === cid)?.status ?? 0,
      failed,
      change: (cid, choice) => {
        channels = channels.map((channel) => (channel.cid === cid ? { ...channel, ...choice } : channel))
        tell({ type: 'channels', profileId: 'local' })
      },
    }),
    health: fakeHealth(scenario),
    copies: fakeCopies({ began, empty: scenario === 'empty' }),
    messaging: messaging.messaging,
    operations: {
      ...messaging.operations,
      ...rooms.operations,
      broadcast: fakeBroadcasts(began, channels[0]?.cid),
      hold: fakeHold(options.hold ?? 'ready', began, tell),
      local: { ...messaging.operations.local, ...rooms.operations.local },
    },
    computer: fakeComputer(scenario),
    keeping: fakeKeeping(scenario, began),
    support: { bundle: os.support.bundle.handler(() => fakeSupport(began)) },
    targets: fakeTargets(options.targets ?? 'none', began, tell),
    obs: fakeObs(began, (obs) => {
      tell({ type: 'obs', obs })
    }),
    rooms: rooms.rooms,
    seats: fakeSeats({ began, empty: scenario === 'empty' }),
    console: {
      call: os.console.call.handler(({ input }) =>
        fakeCall(input.path, input.parameters, Date.now(), scenario === 'failing'),
      ),
    },
    receivers: {
      state: os.receivers.state.handler(({ input }) => makeReceiver(input.profileId)),
      start: os.receivers.start.handler(({ input }) => makeReceiver(input.profileId)),
      stop: os.receivers.stop.handler(({ input }) => ({
        ...makeReceiver(input.profileId),
        phase: 'off' as const,
        url: null,
      })),
      register: os.receivers.register.handler(({ input }) => ({
        url: input.url ?? makeReceiver(input.profileId).url ?? '',
      })),
      deliveries: os.receivers.deliveries.handler(({ input }) => makeDeliveries(began).slice(0, input.limit)),
      replay: os.receivers.replay.handler(({ input }) => ({
        ...makeDeliveries(began)[0]!,
        id: input.id + 1,
        verdict: 'duplicate' as const,
        test: 'replay' as const,
      })),
      tamper: os.receivers.tamper.handler(({ input }) => ({
        ...makeDeliveries(began)[0]!,
        id: input.id + 1,
        verdict: 'forged' as const,
        test: 'tamper' as const,
        why: { code: 'signature', params: {} },
      })),
      signKey: os.receivers.signKey.handler(() => ({ signKey: 'f3a91c57e20b4d86' })),
      setSignKey: os.receivers.setSignKey.handler(() => undefined),
    },
    preview: { open: os.preview.open.handler(() => ({ flv: '/media/t/live.flv', hls: '/media/t/playlist.m3u8' })) },
  }

  const media = async (name: string, response: ServerResponse): Promise<void> => {
    if (!picture || !tallies.some((tally) => tally.status === 1 || tally.status === 3)) {
      response.writeHead(404).end()
      return
    }
    if (name === 'live.flv') return picture.flv(response)
    const bytes = await picture.hls(name)
    response
      .writeHead(bytes ? 200 : 404, {
        'content-type': name.endsWith('.m3u8') ? 'application/vnd.apple.mpegurl' : 'video/mp4',
      })
      .end(bytes)
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    response.setHeader('content-security-policy', policy)
    if (url.pathname === '/session') return void response.writeHead(options.signedIn === false ? 401 : 204).end()
    if (url.pathname.startsWith('/media/file/')) return recordedFile(request, response)
    if (url.pathname.startsWith('/media/t/'))
      return inBackground(media(url.pathname.slice('/media/t/'.length), response))
    const file = path.join(options.page, url.pathname === '/' ? 'index.html' : path.normalize(url.pathname))
    readFile(file).then(
      (bytes) =>
        response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' }).end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  const sockets = new WebSocketServer({ noServer: true })
  const handler = new RPCHandler(router, {
    clientInterceptors: [
      ({ path, next }) => {
        const kind = refusals.get(path.join('.'))
        if (kind !== undefined) throw cannot(kind)
        return next()
      },
    ],
  })
  server.on('upgrade', (request, socket, head) => {
    if (refusing || request.url !== '/rpc') return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (opened) => inBackground(handler.upgrade(opened)))
  })
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const timer = setInterval(() => {
    for (const event of figuresAt(Date.now())) tell(event)
  }, 1_000)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    get streams() {
      return picture?.readers ?? 0
    },
    cutLines: (refuse) => {
      refusing = refuse
      for (const socket of sockets.clients) socket.terminate()
    },
    air: (on) => {
      if (channels[0]) setStatus(channels[0].cid, on === 'recorded' ? 3 : on ? 1 : 0)
    },
    tell,
    refuse: (procedure, kind) => {
      if (kind === null) refusals.delete(procedure)
      else refusals.set(procedure, kind)
    },
    setSettings: (next) => {
      settings = { ...settings, ...next }
      tell({ type: 'settings', settings })
    },
    close: async () => {
      clearInterval(timer)
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await picture?.close()
    },
  }
}

// Run by hand: node renderer/testing/fake-companion.ts [scenario] [port]
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fake = await startFakeCompanion({
    scenario: (process.argv[2] ?? 'full') as Scenario,
    page: fileURLToPath(new URL('../../out/renderer', import.meta.url)),
    picture: true,
    port: Number(process.argv[3] ?? 0),
  })
  process.stdout.write(`${fake.url}\n`)
}
