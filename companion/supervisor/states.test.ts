import { describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { ServiceState } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { readyLine, setUp, settle } from './testing/played-service.ts'

const exited = { code: 'exited', params: { status: '1' } } as const

describe('the state of the service', () => {
  it('is stopped before the start, and running with its addresses when the service is ready', async () => {
    const { supervisor, processes, newest, up } = setUp()
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', addresses: null, since: null, reason: null })
    expect(supervisor.ready()).toBeUndefined()
    supervisor.start()
    supervisor.start()
    expect(processes).toHaveLength(1)
    expect(supervisor.state()).toMatchObject({ phase: 'starting', addresses: null })
    await settle()
    expect(newest().said).toMatchObject([
      { type: 'start', credentials: { appKey: 'k', appSecret: 'the-app-secret-of-this-session' } },
    ])
    up()
    expect(supervisor.ready()).toEqual(readyLine)
    expect(supervisor.state()).toMatchObject({
      phase: 'running',
      attempt: 0,
      notes: [],
      busySince: null,
      addresses: {
        api: readyLine.baseUrl,
        media: readyLine.mediaUrl,
        rtmp: readyLine.rtmpUrl,
        publicMedia: null,
      },
    })
  })

  it('tells since when it is away over all its attempts, without addresses, until it is back', () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    up()
    const began = clock.now()
    newest().exit(exited)
    expect(supervisor.state()).toMatchObject({ since: began, addresses: null, attempt: 1 })
    expect(supervisor.ready()).toBeUndefined()
    clock.advance(200)
    newest().exit(exited)
    expect(supervisor.state()).toMatchObject({ since: began, attempt: 2, nextAttempt: clock.now() + 1_000 })
    clock.advance(1_000)
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', since: null, nextAttempt: null, reason: null })
  })

  it('is told to who listens, and not to who does no more', () => {
    const { supervisor, up } = setUp()
    const told: ServiceState['phase'][] = []
    const off = supervisor.on(({ phase }) => told.push(phase))
    supervisor.start()
    up()
    expect(told.at(-1)).toBe('running')
    const before = told.length
    off()
    up()
    expect(told).toHaveLength(before)
  })

  it('has the disk, time zone and room for recordings of the first answer, asked for at once', async () => {
    interface Found {
      diskFree: number
      timeZone: string
      recordingRoom?: number
      recordingNeeds?: number
      recordingReserve?: number
    }
    const found: Found = { diskFree: 5, timeZone: 'UTC' }
    const { clock, supervisor, up } = setUp(() => Promise.resolve({ ...found }))
    let told = 0
    supervisor.start()
    up()
    expect(supervisor.state()).toMatchObject({ diskFree: null, recordingRoom: null })
    clock.advance(0)
    await settle()
    expect(supervisor.state()).toMatchObject({ diskFree: 5, timeZone: 'UTC', recordingRoom: null })
    supervisor.on(() => told++)
    const next = async (): Promise<number> => {
      told = 0
      clock.advance(5_000)
      await settle()
      return told
    }
    expect(await next()).toBe(0)
    for (const change of [
      { diskFree: 4 },
      { recordingRoom: 9 },
      { recordingNeeds: 3 },
      { timeZone: 'Asia/Tokyo' },
    ] satisfies Partial<Found>[]) {
      Object.assign(found, change)
      expect(await next(), JSON.stringify(change)).toBe(1)
      expect(supervisor.state()).toMatchObject(change)
    }
    found.recordingReserve = 7
    await next()
    expect(supervisor.state().recordingReserve).toBe(7)
    // Asked every 5 s, not sooner.
    found.diskFree = 1
    clock.advance(4_999)
    await settle()
    expect(supervisor.state().diskFree).toBe(4)
  })
})

describe('a service that is not started', () => {
  it('says that the keychain does not give its secret, and tries again', async () => {
    let isLocked = true
    const { clock, supervisor, newest } = setUp(undefined, undefined, {
      credentials: () =>
        isLocked
          ? Promise.reject(new Failure('keychain', 'locked'))
          : Promise.resolve({ appKey: 'k', appSecret: 'the-app-secret-of-this-session' }),
    })
    supervisor.start()
    await settle()
    expect(newest().killed).toBe(true)
    expect(supervisor.state()).toMatchObject({
      phase: 'restarting',
      reason: reasonOf('service', 'keychain', { system: 'locked' }),
    })
    isLocked = false
    clock.advance(200)
    await settle()
    expect(newest().said).toMatchObject([{ type: 'start' }])
  })

  it('says why no process could be made', () => {
    const { clock, supervisor } = setUp(undefined, undefined, {
      launch: () => {
        throw new Error('no such program')
      },
    })
    supervisor.start()
    expect(supervisor.state().reason).toEqual(reasonOf('service', 'failed', { system: 'no such program' }))
    clock.advance(200)
    expect(supervisor.state()).toMatchObject({ attempt: 2 })
  })

  it('tells what the service itself says was wrong, rather than how its process ended', () => {
    const { supervisor, newest } = setUp()
    supervisor.start()
    const reason = reasonOf('service', 'folderGone', { folder: '/usb' })
    newest().say({ type: 'failed', reason })
    newest().exit(exited)
    expect(supervisor.state()).toMatchObject({ phase: 'restarting', reason })
  })
})

describe('a service that answers late', () => {
  const never = () => new Promise<never>(() => undefined)
  /** One question without an answer in 3 s. */
  const missed = async (clock: ReturnType<typeof setUp>['clock']): Promise<void> => {
    clock.advance(5_000)
    clock.advance(3_000)
    await settle()
  }

  it('and does nothing is ended after two questions', async () => {
    const { clock, supervisor, newest, up } = setUp(never)
    supervisor.start()
    up()
    clock.advance(0)
    clock.advance(2_999)
    await settle()
    expect(newest().killed).toBe(false)
    clock.advance(1)
    await settle()
    expect(newest().killed).toBe(false)
    const hung = newest()
    await missed(clock)
    expect(hung.killed).toBe(true)
    expect(supervisor.state().reason).toEqual(reasonOf('service', 'silent'))
  })

  it('and works without media is left alone for a minute, and told as busy since then', async () => {
    const { clock, supervisor, newest, up } = setUp(never)
    supervisor.start()
    up()
    const hung = newest()
    clock.advance(0)
    hung.say({ type: 'beat', media: 0 })
    clock.advance(3_000)
    await settle()
    const since = clock.now()
    expect(supervisor.state()).toMatchObject({ phase: 'running', busySince: since })
    expect(supervisor.lines().filter((line) => line.includes('because it works'))).toHaveLength(1)
    while (clock.now() - since < 56_000) {
      hung.say({ type: 'beat', media: 0 })
      await missed(clock)
      expect(hung.killed).toBe(false)
    }
    for (let times = 0; times < 2; times++) {
      hung.say({ type: 'beat', media: 0 })
      await missed(clock)
    }
    expect(hung.killed).toBe(true)
    expect(supervisor.state().busySince).toBeNull()
  })

  it('and gives no sign of life is not said to run after the first probe that it misses', async () => {
    const { clock, supervisor, newest, up } = setUp(never)
    supervisor.start()
    up()
    clock.advance(0)
    clock.advance(3_000)
    await settle()
    expect(newest().killed).toBe(false)
    expect(supervisor.state()).toMatchObject({ phase: 'running', busySince: clock.now() })
    expect(supervisor.lines().join()).not.toContain('it is not restarted')
  })

  it('and answers again is busy no more, and has both misses before it again', async () => {
    let answers = false
    const { clock, supervisor, newest, up } = setUp(() =>
      answers ? Promise.resolve({ diskFree: 5, timeZone: 'UTC' }) : Promise.reject(new Error('late')),
    )
    supervisor.start()
    up()
    newest().say({ type: 'beat', media: 1 })
    clock.advance(0)
    await settle()
    expect(supervisor.state().busySince).toBe(clock.now())
    answers = true
    clock.advance(5_000)
    await settle()
    expect(supervisor.state().busySince).toBeNull()
    const one = newest()
    for (let round = 0; round < 3; round++) {
      answers = false
      clock.advance(5_000)
      await settle()
      answers = true
      clock.advance(5_000)
      await settle()
    }
    expect(one.killed).toBe(false)
  })

  it('is busy by media only while more of it comes', async () => {
    const { clock, supervisor, newest, up } = setUp(() => Promise.reject(new Error('late')))
    supervisor.start()
    up()
    const hung = newest()
    hung.say({ type: 'beat', media: 5 })
    clock.advance(0)
    await settle()
    expect(supervisor.lines().join()).toContain('because media flows')
    clock.advance(100_000)
    await settle()
    expect(hung.killed).toBe(false)
    clock.advance(5_000)
    await settle()
    expect(hung.killed).toBe(true)
  })
})

describe('a restart', () => {
  it('asks the service to stop, begins to count attempts anew, and is the same for who asks twice', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    newest().exit(exited)
    clock.advance(200)
    up()
    expect(supervisor.state().attempt).toBe(1)
    const both = [supervisor.restart(), supervisor.restart()]
    expect(supervisor.state()).toMatchObject({
      phase: 'restarting',
      attempt: 0,
      reason: null,
      addresses: null,
      since: clock.now(),
      nextAttempt: clock.now(),
    })
    expect(newest().said.at(-1)).toEqual({ type: 'stop' })
    newest().exit({ code: 'exited', params: { status: '0' } })
    await Promise.all(both)
    expect(processes).toHaveLength(3)
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', attempt: 0 })
  })

  it('starts a service that was given up', async () => {
    const { clock, supervisor, processes, newest } = setUp()
    supervisor.start()
    for (const wait of [200, 1_000, 2_000, 4_000, 8_000, 0]) {
      newest().exit(exited)
      clock.advance(wait)
    }
    expect([supervisor.state().phase, processes.length]).toEqual(['stopped', 6])
    await supervisor.restart()
    expect([supervisor.state().phase, processes.length]).toEqual(['restarting', 7])
  })

  it('does not count as a crash, and what the process before says is not heard any more', async () => {
    const { supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    const before = newest()
    const restarting = supervisor.restart()
    before.say({ type: 'ready', ready: readyLine, notes: [] })
    expect(supervisor.state().phase).toBe('restarting')
    before.exit({ code: 'killed', params: { signal: 'SIGTERM' } })
    await restarting
    expect(supervisor.state()).toMatchObject({ phase: 'restarting', attempt: 0, reason: null })
    before.say({ type: 'ready', ready: readyLine, notes: [] })
    before.exit(exited)
    expect([supervisor.state().phase, processes.length]).toEqual(['restarting', 2])
  })

  it('tells the address of the media side as others reach it, none where that is its own', async () => {
    const { supervisor, newest, up } = setUp()
    const change = async (given: Parameters<typeof supervisor.change>[0]): Promise<unknown> => {
      const changing = supervisor.change(given)
      newest().exit({ code: 'exited', params: { status: '0' } })
      await changing
      await settle()
      up()
      return newest().said.find((each) => each.type === 'start')?.choices
    }
    supervisor.start()
    up()
    expect(await change({ timeZone: 'UTC' })).toMatchObject({ timeZone: 'UTC' })
    const { media } = supervisor.state().addresses!
    supervisor.mediaAt('https://stage.example')
    expect(supervisor.state().addresses).toMatchObject({ media, publicMedia: 'https://stage.example' })
    supervisor.mediaAt(media)
    expect(supervisor.state().addresses).toMatchObject({ media, publicMedia: null })
  })
})

describe('the ports of the service', () => {
  const taken = { listener: 'rtmp', wanted: 1935, used: 1936 } as const
  const elsewhere = { ...readyLine, rtmpUrl: 'rtmp://127.0.0.1:1936' }

  it('are taken as they come at the first start: another program holds the wanted one', () => {
    const { supervisor, processes, newest } = setUp()
    supervisor.start()
    newest().say({ type: 'ready', ready: elsewhere, notes: [taken] })
    expect(processes).toHaveLength(1)
    expect(supervisor.state()).toMatchObject({ phase: 'running', notes: [{ ...taken, holder: null }] })
  })

  it('are not waited for where any port is good', () => {
    const { clock, supervisor, newest, processes, up } = setUp()
    supervisor.start()
    up()
    newest().exit(exited)
    clock.advance(200)
    newest().say({ type: 'ready', ready: elsewhere, notes: [{ listener: 'rtmp', wanted: 0, used: 1936 }] })
    expect([supervisor.state().phase, processes.length]).toEqual(['running', 2])
  })
})

describe('the end', () => {
  it('is no crash: nothing is started any more, also when a start was due', async () => {
    const { clock, supervisor, processes, newest } = setUp()
    supervisor.start()
    newest().exit(exited)
    await supervisor.stop()
    clock.advance(600_000)
    expect(processes).toHaveLength(1)
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', nextAttempt: null })
  })

  it('of a service that stops when it is asked comes without a kill', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    const stopping = supervisor.stop()
    newest().exit({ code: 'exited', params: { status: '0' } })
    await stopping
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', addresses: null })
    clock.advance(10_000)
    expect([processes.length, newest().killed]).toEqual([1, false])
  })

  it('during a restart ends that too', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    const both = [supervisor.restart(), supervisor.stop()]
    newest().exit({ code: 'exited', params: { status: '0' } })
    await Promise.all(both)
    clock.advance(10_000)
    expect([processes.length, supervisor.state().phase]).toEqual([1, 'stopped'])
  })
})

describe('what a supervisor waits for', () => {
  const taken = { listener: 'rtmp', wanted: 1935, used: 1936 } as const
  const lost = {
    type: 'ready',
    ready: { ...readyLine, rtmpUrl: 'rtmp://127.0.0.1:1936' },
    notes: [taken],
  } as const

  it('is a whole minute without a fault before attempts count anew, which is told', async () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    newest().exit(exited)
    clock.advance(200)
    up()
    clock.advance(59_999)
    await settle()
    expect(supervisor.state().attempt).toBe(1)
    const told: number[] = []
    supervisor.on(({ attempt }) => told.push(attempt))
    clock.advance(1)
    expect([supervisor.state().attempt, told.at(-1)]).toEqual([0, 0])
  })

  it('is not the minute of a service that crashed again within it', async () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    newest().exit(exited)
    clock.advance(200)
    up()
    clock.advance(30_000)
    await settle()
    newest().exit(exited)
    expect(supervisor.state().attempt).toBe(2)
    clock.advance(1_000)
    up()
    clock.advance(30_000)
    await settle()
    expect(supervisor.state().attempt).toBe(2)
  })

  it('is 300 ms for a port that the process before still holds, without a crash being counted', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    newest().exit(exited)
    clock.advance(200)
    newest().say(lost)
    newest().exit({ code: 'exited', params: { status: '0' } })
    await settle()
    clock.advance(299)
    expect(processes).toHaveLength(2)
    clock.advance(1)
    expect([processes.length, supervisor.state().attempt]).toEqual([3, 1])
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', notes: [] })
  })

  it('is a port four times after each crash anew', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    for (let crash = 0; crash < 2; crash++) {
      newest().exit(exited)
      clock.advance(crash === 0 ? 200 : 1_000)
      const before = processes.length
      for (let times = 0; times < 4; times++) {
        newest().say(lost)
        newest().exit({ code: 'exited', params: { status: '0' } })
        await settle()
        clock.advance(300)
      }
      expect(processes.length - before).toBe(4)
      up()
      expect(supervisor.state().phase).toBe('running')
    }
  })

  it('is no answer of a process that is gone', async () => {
    const answers: ((found: { diskFree: number; timeZone: string }) => void)[] = []
    const { clock, supervisor, newest, up } = setUp(() => new Promise((resolve) => answers.push(resolve)))
    supervisor.start()
    up()
    clock.advance(0)
    newest().exit(exited)
    clock.advance(200)
    up()
    answers[0]!({ diskFree: 1, timeZone: 'UTC' })
    await settle()
    expect(supervisor.state().diskFree).toBeNull()
    clock.advance(0)
    answers[1]!({ diskFree: 2, timeZone: 'UTC' })
    await settle()
    expect(supervisor.state().diskFree).toBe(2)
  })

  it('is 4.5 s for a service that is held for a move, which is killed then', async () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    up()
    const holding = supervisor.hold()
    clock.advance(4_499)
    expect(newest().killed).toBe(false)
    clock.advance(1)
    await holding
    expect(newest().killed).toBe(true)
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', reason: { code: 'moving' } })
  })
})

it('is busy no more when it is restarted, held, or gone', async () => {
  for (const end of ['restart', 'hold', 'crash'] as const) {
    const { clock, supervisor, newest, up } = setUp(() => Promise.reject(new Error('late')))
    supervisor.start()
    up()
    newest().say({ type: 'beat', media: 1 })
    clock.advance(0)
    await settle()
    expect(supervisor.state().busySince, end).not.toBeNull()
    const ending = end === 'crash' ? undefined : supervisor[end]()
    newest().exit(exited)
    await ending
    expect(supervisor.state().busySince, end).toBeNull()
  }
})

it('says of a secret that could not be had why, where it was not the keychain', async () => {
  const { supervisor } = setUp(undefined, undefined, { credentials: () => Promise.reject(new Error('no file')) })
  supervisor.start()
  await settle()
  expect(supervisor.state().reason).toEqual(reasonOf('service', 'failed', { system: 'no file' }))
})

it('is started again 0.2, 1, 2, 4 and 8 s after one crash after the other', () => {
  const { clock, supervisor, newest } = setUp()
  supervisor.start()
  const waits: number[] = []
  for (let crash = 0; crash < 5; crash++) {
    newest().exit(exited)
    const wait = (supervisor.state().nextAttempt ?? 0) - clock.now()
    waits.push(wait)
    clock.advance(wait)
  }
  expect(waits).toEqual([200, 1_000, 2_000, 4_000, 8_000])
})
