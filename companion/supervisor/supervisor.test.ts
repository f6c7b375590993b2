import { describe, expect, it } from 'vitest'
import { ReasonedError, reasonOf } from '../../contract/catalogue/reasons.ts'
import { scratch, startRig, until } from '../testing/rig.ts'
import { backOff } from './supervisor.ts'
import { readyLine, setUp, settle } from './testing/played-service.ts'
import { launchPace, promised } from '../../service/testing/machine-pace.ts'

describe('the supervisor', () => {
  it('waits longer from attempt to attempt and stays stopped after the fifth', () => {
    const { clock, supervisor, processes, newest } = setUp()
    supervisor.start()
    expect(supervisor.state().phase).toBe('starting')
    for (const [index, wait] of backOff.entries()) {
      newest().exit({ code: 'exited', params: { status: '1' } })
      expect(supervisor.state()).toMatchObject({
        phase: 'restarting',
        attempt: index + 1,
        attempts: 5,
        nextAttempt: clock.now() + wait,
        reason: { code: 'exited', params: { status: '1' } },
      })
      clock.advance(wait - 1)
      expect(processes).toHaveLength(index + 1)
      clock.advance(1)
      expect(processes).toHaveLength(index + 2)
    }
    newest().exit({ code: 'exited', params: { status: '1' } })
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', nextAttempt: null })
    clock.advance(600_000)
    expect(processes).toHaveLength(6)
  })

  it('counts attempts anew after a minute without a fault, and keeps the ports of the first start and how to record', async () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    up()
    newest().exit({ code: 'killed', params: { signal: 'SIGSEGV' } })
    clock.advance(200)
    await settle()
    expect(newest().said[0]).toMatchObject({
      type: 'start',
      choices: { api: { port: 8710 }, media: { port: 8711 }, rtmp: { port: 1935 }, recording: { minute: 1_500 } },
    })
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', attempt: 1 })
    for (let passed = 0; passed < 60_000; passed += 5_000) {
      clock.advance(5_000)
      await settle()
    }
    expect(supervisor.state().attempt).toBe(0)
  })

  it('tries again for ports that the old process still holds, then says what is used instead', async () => {
    const { clock, supervisor, newest, processes, up } = setUp()
    supervisor.start()
    up()
    newest().exit({ code: 'killed', params: { signal: 'SIGKILL' } })
    clock.advance(200)
    for (let round = 0; round < 4; round++) {
      const before = processes.length
      newest().say({
        type: 'ready',
        ready: { ...readyLine, rtmpUrl: 'rtmp://127.0.0.1:1936' },
        notes: [{ listener: 'rtmp', wanted: 1935, used: 1936 }],
      })
      expect(newest().said.at(-1)).toEqual({ type: 'stop' })
      newest().exit({ code: 'exited', params: { status: '0' } })
      await settle()
      clock.advance(300)
      expect(processes).toHaveLength(before + 1)
      await settle()
    }
    newest().say({
      type: 'ready',
      ready: { ...readyLine, rtmpUrl: 'rtmp://127.0.0.1:1936' },
      notes: [{ listener: 'rtmp', wanted: 1935, used: 1936 }],
    })
    expect(supervisor.state()).toMatchObject({
      phase: 'running',
      notes: [{ listener: 'rtmp', wanted: 1935, used: 1936 }],
    })
  })

  it('ends a service that does not answer any more, and says so', async () => {
    const { clock, supervisor, newest, up } = setUp(() => Promise.reject(new Error('no answer')))
    supervisor.start()
    up()
    const hung = newest()
    for (const _ of [1, 2]) {
      clock.advance(5_000)
      await settle()
    }
    expect(hung.killed).toBe(true)
    expect(supervisor.state()).toMatchObject({ phase: 'restarting', reason: { code: 'silent' } })
  })

  it('ends a service that is never ready, and one that does not stop when asked', async () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    clock.advance(60_000)
    expect(newest().killed).toBe(true)
    clock.advance(200)
    up()
    const stopped = supervisor.stop()
    expect(newest().said.at(-1)).toEqual({ type: 'stop' })
    clock.advance(4_499)
    expect(newest().killed).toBe(false)
    clock.advance(1)
    await stopped
    expect(newest().killed).toBe(true)
    expect(supervisor.state().phase).toBe('stopped')
  })

  it('waits for a start that says that it works, as long as it does, and for ten minutes at most', () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    for (let minute = 0; minute < 5; minute++) {
      newest().say({ type: 'beat', media: 0 })
      clock.advance(60_000)
      expect(newest().killed).toBe(false)
    }
    up()
    expect(supervisor.state().phase).toBe('running')
    newest().exit({ code: 'exited', params: { status: '1' } })
    clock.advance(200)
    // It says so no more.
    newest().say({ type: 'beat', media: 0 })
    clock.advance(60_000)
    expect(newest().killed).toBe(false)
    clock.advance(60_000)
    expect(supervisor.state()).toMatchObject({
      phase: 'restarting',
      reason: { code: 'notReady', params: { seconds: '120' } },
    })
    clock.advance(1_000)
    for (let minute = 0; minute < 9; minute++) {
      newest().say({ type: 'beat', media: 0 })
      clock.advance(60_000)
    }
    expect(newest().killed).toBe(false)
    newest().say({ type: 'beat', media: 0 })
    clock.advance(60_000)
    expect(newest().killed).toBe(true)
  })

  it('does not take a service for running that says it is ready when it is being ended for its lateness', () => {
    const { clock, supervisor, newest, up } = setUp()
    supervisor.start()
    newest().lingers = true
    clock.advance(59_999)
    expect(newest().killed).toBe(false)
    clock.advance(1)
    up()
    expect(supervisor.state().phase).toBe('starting')
    newest().exit({ code: 'killed', params: { signal: 'SIGKILL' } })
    expect(supervisor.state()).toMatchObject({
      phase: 'restarting',
      reason: { code: 'notReady', params: { seconds: '60' } },
    })
    clock.advance(200)
    up()
    expect(supervisor.state().phase).toBe('running')
  })

  it('starts afresh with other choices, leaves what is not named as it was, and still says which port was taken at first', async () => {
    const { supervisor, newest } = setUp()
    supervisor.start()
    newest().say({
      type: 'ready',
      ready: { ...readyLine, mediaUrl: 'http://127.0.0.1:8712' },
      notes: [{ listener: 'media', wanted: 8711, used: 8712 }],
    })
    const changing = supervisor.change({ ports: { rtmp: 1940 }, timeZone: 'Asia/Tokyo' })
    expect(newest().said.at(-1)).toEqual({ type: 'stop' })
    newest().exit({ code: 'exited', params: { status: '0' } })
    await changing
    await settle()
    expect(newest().said[0]).toMatchObject({
      type: 'start',
      choices: {
        dataDir: '/nowhere',
        api: { port: 8710 },
        media: { port: 8712 },
        rtmp: { port: 1940 },
        timeZone: 'Asia/Tokyo',
        recording: { minute: 1_500 },
      },
    })
    const now = { ...readyLine, mediaUrl: 'http://127.0.0.1:8712', rtmpUrl: 'rtmp://127.0.0.1:1941' }
    newest().say({
      type: 'ready',
      ready: now,
      notes: [{ listener: 'rtmp', wanted: 1940, used: 1941, holder: 'nginx (process 7)' }],
    })
    expect(supervisor.state()).toMatchObject({
      phase: 'running',
      timeZone: 'Asia/Tokyo',
      notes: [
        { listener: 'media', wanted: 8711, used: 8712 },
        { listener: 'rtmp', wanted: 1940, used: 1941, holder: 'nginx (process 7)' },
      ],
    })
    const back = supervisor.change({ timeZone: undefined })
    newest().exit({ code: 'exited', params: { status: '0' } })
    await back
    await settle()
    expect(newest().said[0]).not.toHaveProperty('choices.timeZone')
  })

  it('stays ended while it is held, whoever wants it, and comes back where it is told to', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    supervisor.start()
    up()
    const held = supervisor.hold()
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', reason: { code: 'moving' }, addresses: null })
    newest().exit({ code: 'exited', params: { status: '0' } })
    await held
    await supervisor.restart()
    await supervisor.change({ ports: { rtmp: 1999 } })
    clock.advance(600_000)
    expect(processes).toHaveLength(1)
    expect(supervisor.state().phase).toBe('stopped')
    await supervisor.release({ dataDir: '/elsewhere' })
    await settle()
    expect(newest().said[0]).toMatchObject({ choices: { dataDir: '/elsewhere', rtmp: { port: 1999 } } })
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', reason: null })
  })

  it('is not started while its data are away, and says so', async () => {
    let isAway = true
    const { clock, supervisor, processes, newest } = setUp(undefined, () =>
      isAway
        ? Promise.reject(new ReasonedError('service', reasonOf('service', 'folderGone', { folder: '/usb' })))
        : Promise.resolve(),
    )
    supervisor.start()
    await settle()
    expect(supervisor.state()).toMatchObject({
      phase: 'restarting',
      reason: { code: 'folderGone', params: { folder: '/usb' } },
    })
    expect(processes[0]?.said).toEqual([])
    isAway = false
    clock.advance(200)
    await settle()
    expect(newest().said[0]).toMatchObject({ type: 'start' })
  })

  it('stays stopped when a person has to decide on the database, and hands a decision on once', async () => {
    const { clock, supervisor, processes, newest, up } = setUp()
    const database = {
      kind: 'damaged',
      detail: 'file is not a database',
      copies: [{ name: 'a.db', at: 5, bytes: 9 }],
    } as const
    const fail = (): void => {
      newest().say({ type: 'failed', reason: reasonOf('service', 'database'), database })
      newest().exit({ code: 'exited', params: { status: '1' } })
    }
    const started = () => newest().said.find((each) => each.type === 'start')?.choices
    supervisor.start()
    await settle()
    expect(started()).not.toHaveProperty('recovery')
    fail()
    expect(supervisor.state()).toMatchObject({
      phase: 'stopped',
      nextAttempt: null,
      reason: reasonOf('service', 'database'),
      database,
    })
    clock.advance(60_000)
    expect(processes).toHaveLength(1)

    await supervisor.recover('a.db')
    expect(supervisor.state()).toMatchObject({ phase: 'restarting', database: null })
    await settle()
    expect(started()).toMatchObject({ dataDir: '/nowhere', recovery: { copy: 'a.db' } })
    // The copy could not be used either: the next start must not be the same again by itself.
    fail()
    await supervisor.restart()
    await settle()
    expect(processes).toHaveLength(3)
    expect(started()).not.toHaveProperty('recovery')
    fail()

    await supervisor.recover(null)
    await settle()
    expect(started()).toMatchObject({ recovery: { copy: null } })
    up()
    expect(supervisor.state()).toMatchObject({ phase: 'running', database: null })
    newest().exit({ code: 'killed', params: { signal: 'SIGKILL' } })
    clock.advance(backOff[0])
    await settle()
    expect(processes).toHaveLength(5)
    expect(started()).not.toHaveProperty('recovery')
  })

  it('begins nothing anew while it is held', async () => {
    const { supervisor, processes, newest } = setUp()
    supervisor.start()
    await settle()
    const held = supervisor.hold()
    newest().exit({ code: 'exited', params: { status: '0' } })
    await held
    await supervisor.recover(null)
    expect(processes).toHaveLength(1)
    await supervisor.release()
    await settle()
    expect(processes).toHaveLength(2)
    expect(newest().said.find((each) => each.type === 'start')?.choices).not.toHaveProperty('recovery')
  })

  it('keeps a bounded log without secrets', () => {
    const { supervisor, newest } = setUp()
    supervisor.start()
    for (let line = 0; line < 1_000; line++)
      newest().line(
        `line ${line} the-app-secret-of-this-session rtmp://h/live/c?wsSecret=0123456789abcdef0123456789abcdef&wsTime=1`,
      )
    expect(supervisor.lines()).toHaveLength(500)
    expect(supervisor.lines().at(-1)).toBe('line 999 … rtmp://h/live/c?wsSecret=…&wsTime=1')
  })
})

describe('a real service', () => {
  it('that is killed is reported and back within 2 s, on the same ports and with the same data', async () => {
    using folder = scratch()
    const rig = await startRig(folder.dir)
    try {
      const before = await rig.companion.serviceReady(150_000)
      const { cid } = await rig.page.rpc.channels.create({ profileId: 'local', name: 'survivor' })
      const paces = [launchPace()]
      const killed = performance.now()
      process.kill(rig.processes.at(-1)?.pid ?? 0, 'SIGKILL')
      await until('the report', () => rig.page.newest('service')?.service.phase === 'restarting')
      const reported = performance.now() - killed
      expect(
        await rig.page.rpc.channels
          .list({ profileId: 'local' })
          .catch((error: unknown) => (error as { data: { kind: string } }).data.kind),
      ).toBe('down')
      // Measured once a second, since other work may begin between a measurement before and one after.
      await until('the restart', () => {
        if (rig.page.newest('service')?.service.phase === 'running') return true
        if (performance.now() - killed > paces.length * 1_000) paces.push(launchPace())
        return false
      })
      const back = performance.now() - killed
      const slowest = Math.max(...paces, launchPace())
      expect(reported).toBeLessThan(500 * slowest)
      expect(back).toBeLessThan(2_000 * slowest)
      expect((await rig.page.rpc.channels.list({ profileId: 'local' })).channels.map((one) => one.cid)).toEqual([cid])
      expect(await rig.companion.serviceReady(1)).toEqual(before)
      await until('tallies without a fault', () => rig.page.newest('tallies')?.fault === null)
    } finally {
      await rig.close()
    }
  })

  it('that hangs is ended and started again', async () => {
    using folder = scratch()
    const rig = await startRig(folder.dir)
    try {
      await rig.companion.serviceReady(150_000)
      const started = rig.processes.length
      process.kill(rig.processes.at(-1)?.pid ?? 0, 'SIGSTOP')
      await until('another process', () => rig.processes.length > started)
      await until('the restart', () => rig.page.newest('service')?.service.phase === 'running')
    } finally {
      await rig.close()
    }
  })

  it('ends with the companion, in order and within 5 s', async () => {
    using folder = scratch()
    const rig = await startRig(folder.dir)
    await rig.companion.serviceReady(150_000)
    const pid = rig.processes.at(-1)?.pid ?? 0
    await promised(5_000, () => rig.close())
    expect(() => process.kill(pid, 0)).toThrow()
  })
})
