import { systemClock } from '../platform/clock.ts'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local, recordings } from '../contract/operations/index.ts'
import type { Credentials } from '../contract/service-process.ts'
import { defaultPorts } from './usage.ts'
import { openQuarantine } from '../platform/quarantine.ts'
import { listenOn } from '../platform/listen.ts'
import { encodeFixture, temporaryFolder } from './hub/testing/fixture.ts'
import { createDatabaseCopies } from './storage/database-copies.ts'
import { until } from './testing/condition.ts'
import { httpRequest } from './testing/http-request.ts'
import { startPublisher } from './testing/publisher.ts'
import { startServiceProcess, type ServiceProcess } from './testing/service-process.ts'
import { signedClient } from './testing/signed-client.ts'
import { promised } from './testing/machine-pace.ts'

let dir: string
let running: ServiceProcess[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-main-'))
  running = []
})
afterEach(async () => {
  for (const { child, exited } of running) {
    child.kill('SIGKILL')
    await exited
  }
  rmSync(dir, { recursive: true, force: true })
})

const free = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
const start = (args: readonly string[], environment?: Record<string, string>): ServiceProcess => {
  const one = startServiceProcess(args, environment)
  running.push(one)
  return one
}
const stored = (): Credentials => JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')) as Credentials
const logged = ({ log }: ServiceProcess): { msg: string }[] =>
  log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { msg: string })

describe('the stand-alone service', () => {
  it('answers whole paths where its folder was given as one from here', async () => {
    const given = relative(process.cwd(), dir)
    expect(isAbsolute(given)).toBe(false)
    const one = start(['--data', given, ...free])
    const client = signedClient((await one.ready).baseUrl, stored())
    expect((await client.call(local.info, {})).ret!.dataDir).toBe(dir)
    const { cid, pushUrl } = (await client.call(live.create, { name: 'a' })).ret!
    await client.call(recordings.setAlwaysRecord, { cid, needRecord: 1 })
    const folder = temporaryFolder()
    try {
      const publisher = startPublisher(pushUrl, await encodeFixture(folder.path, 'push', { duration: 2, gop: 30 }))
      await until('two seconds', async () => {
        const { ret } = await client.call(local.recordingState, { cid })
        return (ret!.recorded ?? 0) > 2_000
      })
      await publisher.stop()
    } finally {
      folder.remove()
    }
    const { vid } = await until('the file', async () => {
      const { ret } = await client.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() })
      return ret!.list[0]
    })
    const file = (await client.call(local.playbackTicket, { vid })).ret!.file!
    expect(file.startsWith(join(dir, 'recordings', cid))).toBe(true)
    expect(existsSync(file)).toBe(true)
  })

  it('prints one ready line, serves with the pair of credentials.json, and closes on a signal', async () => {
    const one = start(['--data', dir, ...free])
    const ready = await one.ready
    expect(Object.keys(ready)).toEqual(['event', 'appKey', 'baseUrl', 'imBaseUrl', 'mediaUrl', 'rtmpUrl', 'linkUrl'])
    expect(ready.appKey).toBe(stored().appKey)
    expect(statSync(join(dir, 'credentials.json')).mode & 0o777).toBe(0o600)
    const client = signedClient(ready.baseUrl, stored())
    const { ret } = await client.call(live.create, { name: 'a' })
    await client.call(live.state, { cid: 'unknown' })

    await promised(5000, async () => {
      one.child.kill('SIGTERM')
      expect(await one.exited).toBe(0)
    })
    expect(one.stdout().split('\n')).toEqual([JSON.stringify(ready), ''])
    expect(logged(one).map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['the service is ready', 'closing', 'closed']),
    )
    for (const secret of [stored().appSecret, new URL(ret!.pushUrl).searchParams.get('wsSecret')!])
      expect(one.log()).not.toContain(secret)

    const again = start(['--data', dir, ...free])
    expect((await again.ready).appKey).toBe(ready.appKey)
    expect(
      (await signedClient((await again.ready).baseUrl, stored()).call(live.state, { cid: ret!.cid })).ret?.name,
    ).toBe('a')
    again.child.kill('SIGINT')
    expect(await again.exited).toBe(0)
  })

  it('takes its pair from the environment, keeps no file of it, and logs no secret', async () => {
    const credentials = { appKey: 'env-key', appSecret: 'env-secret-7d1f' }
    const one = start(['--data', dir, ...free], {
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
    })
    const { baseUrl, appKey } = await one.ready
    expect(appKey).toBe('env-key')
    expect((await signedClient(baseUrl, credentials).call(local.info, {})).code).toBe(200)
    expect(existsSync(join(dir, 'credentials.json'))).toBe(false)
    expect(one.log() + one.stdout()).not.toContain(credentials.appSecret)
  })

  it('has a pair of its own in every install, and narrows a file that others could read', async () => {
    const first = start(['--data', join(dir, 'a'), ...free])
    const second = start(['--data', join(dir, 'b'), ...free])
    expect((await first.ready).appKey).not.toBe((await second.ready).appKey)
    first.child.kill('SIGTERM')
    await first.exited
    chmodSync(join(dir, 'a', 'credentials.json'), 0o644)
    const again = start(['--data', join(dir, 'a'), ...free])
    await again.ready
    expect(statSync(join(dir, 'a', 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(again.log()).toContain('readable by others')
  })

  it.each<[string, string[], RegExp, Record<string, string>?]>([
    [
      'a flag that it does not know',
      ['--data', 'x', '--bogus'],
      /^Unknown option '--bogus'\. --help lists the switches\.\n$/,
    ],
    [
      'a key without its secret',
      ['--data', 'x'],
      /^SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET together/,
      { SIDESTAGE_APP_KEY: 'k' },
    ],
  ])('ends with code 2 and a sentence for %s', async (_what, args, message, environment) => {
    const one = start(args, environment)
    expect(await one.exited).toBe(2)
    expect(one.log()).toMatch(message)
    expect(one.stdout()).toBe('')
  })

  it('asks what becomes of a damaged database, puts a copy in its place with --restore-copy, or begins one with --begin-anew', async () => {
    const stop = async (one: ServiceProcess): Promise<void> => {
      one.child.kill('SIGTERM')
      expect(await one.exited).toBe(0)
    }
    const names = async (one: ServiceProcess): Promise<string[]> => {
      const { ret } = await signedClient((await one.ready).baseUrl, stored()).call(live.list, {})
      return ret!.list.map(({ name }) => name)
    }
    const damage = (): Buffer => {
      const garbage = Buffer.alloc(8192, 'no database ')
      writeFileSync(join(dir, 'sidestage.db'), garbage)
      for (const end of ['-wal', '-shm']) rmSync(join(dir, `sidestage.db${end}`), { force: true })
      return garbage
    }
    const setAside = (): Buffer[] => {
      const quarantine = openQuarantine({ folder: dir, now: Date.now })
      return quarantine.list().flatMap(({ id }) => quarantine.files(id)!.map(({ file }) => readFileSync(file)))
    }
    const first = start(['--data', dir, ...free])
    await signedClient((await first.ready).baseUrl, stored()).call(live.create, { name: 'kept' })
    await stop(first)
    const copies = createDatabaseCopies({
      dataDir: dir,
      clock: systemClock,
      log: { info: () => undefined, warn: () => undefined },
    })
    expect(await copies.make()).toBe('made')
    await copies.close()

    const garbage = damage()
    const refused = start(['--data', dir, ...free])
    expect(await refused.exited).toBe(1)
    expect(refused.log()).toMatch(
      /the database .+sidestage\.db is damaged .+restore the copy of 20.+ or begin anew \(--restore-copy latest, --begin-anew\)/,
    )
    const unknown = start(['--data', dir, ...free, '--restore-copy', 'sidestage-2020-01-01T00-00-00Z.db'])
    expect(await unknown.exited).toBe(1)
    expect(unknown.log()).toContain('there is no such copy')
    expect(readFileSync(join(dir, 'sidestage.db'))).toEqual(garbage)
    expect(setAside()).toEqual([])

    const restored = start(['--data', dir, ...free, '--restore-copy', 'latest'])
    expect(await names(restored)).toEqual(['kept'])
    expect(setAside()).toEqual([garbage])
    await signedClient((await restored.ready).baseUrl, stored()).call(live.create, { name: 'later' })
    await stop(restored)
    for (const left of [['--restore-copy', 'latest'], ['--begin-anew']]) {
      const again = start(['--data', dir, ...free, ...left])
      expect((await names(again)).sort()).toEqual(['kept', 'later'])
      expect(logged(again).map(({ msg }) => msg)).toContain(
        'the database can be used and was left as it is: --restore-copy and --begin-anew may be removed',
      )
      await stop(again)
    }
    expect(setAside()).toEqual([garbage])

    const second = damage()
    const anew = start(['--data', dir, ...free, '--begin-anew'])
    expect(await names(anew)).toEqual([])
    expect(setAside()).toEqual([second, garbage])
    await stop(anew)
    const after = start(['--data', dir, ...free])
    expect(await names(after)).toEqual([])
    await stop(after)
  })

  it('shows its usage on request', async () => {
    const one = start(['--help'])
    expect(await one.exited).toBe(0)
    expect(one.stdout()).toMatch(/^Usage: npm run --silent service -- --data DIR/)
  })

  it('refuses to open signed calls to the network without TLS', async () => {
    const one = start(['--data', dir, ...free, '--bind-api', '0.0.0.0'])
    expect(await one.exited).toBe(1)
    expect(one.log()).toContain('the api listener cannot be bound to 0.0.0.0 without TLS')
  })

  it('opens signed calls to the network for a trusted proxy that says https, with a warning', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address
    const one = start(['--data', dir, ...free, '--bind-api', '0.0.0.0', '--trust-proxy', '127.0.0.0/8'])
    const { baseUrl } = await one.ready
    expect(logged(one).map(({ msg }) => msg)).toContain(
      'the api listener is open to the network: signed calls are taken over TLS, from trusted proxies that say https, and from this computer',
    )
    expect(new URL(baseUrl).hostname).toBe(outside ?? '127.0.0.1')
    const { port } = new URL(baseUrl)
    const status = async (headers: readonly (readonly [string, string])[]): Promise<number> =>
      (await httpRequest(`http://127.0.0.1:${port}/app/channellist`, { headers, body: '{}' })).status
    expect(await status([])).toBe(200)
    expect(
      await status([
        ['x-forwarded-for', '198.51.100.7'],
        ['x-forwarded-proto', 'https'],
      ]),
    ).toBe(200)
    expect(
      await status([
        ['x-forwarded-for', '198.51.100.7'],
        ['x-forwarded-proto', 'http'],
      ]),
    ).toBe(403)
  })

  it('opens media and rtmp to the network with a warning, and api stays on loopback', async () => {
    const one = start(['--data', dir, ...free, '--bind-media', '0.0.0.0', '--bind-rtmp', '0.0.0.0'])
    const ready = await one.ready
    const warnings = logged(one)
      .map(({ msg }) => msg)
      .join('\n')
    expect(warnings).toMatch(/the rtmp listener is open to the network: stream keys travel in clear there/)
    expect(warnings).toMatch(/the media listener is open to the network/)
    const bound = (url: string): string => {
      const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
      return (
        readFileSync('/proc/net/tcp', 'utf8')
          .split('\n')
          .map((line) => line.trim().split(/\s+/))
          .find((columns) => columns[1]?.endsWith(`:${port}`) && columns[3] === '0A')?.[1]
          ?.split(':')[0] ?? 'none'
      )
    }
    expect([bound(ready.baseUrl), bound(ready.mediaUrl), bound(ready.rtmpUrl)]).toEqual([
      '0100007F',
      '00000000',
      '00000000',
    ])
  })

  it('leaves a taken port to its holder, takes the next free one unless it was named, and says so', async () => {
    const holder = createServer()
    const wanted = defaultPorts.api
    // Another program of this computer may have it already.
    await listenOn(holder, '127.0.0.1', wanted).catch(() => undefined)
    const one = start(['--data', dir, '--media-port', '0', '--rtmp-port', '0'])
    const { baseUrl } = await one.ready
    expect(Number(new URL(baseUrl).port)).toBeGreaterThan(wanted)
    expect(one.log()).toMatch(new RegExp(`port ${wanted} is taken by .+ \\(process \\d+\\); using \\d+`))
    const { ret } = await signedClient(baseUrl, stored()).call(local.info, {})
    expect(ret!.listeners[0]).toMatchObject({
      name: 'api',
      wanted,
      port: Number(new URL(baseUrl).port),
      holder: expect.stringContaining('(process ') as string,
    })
    holder.close()
  })

  it.each([
    ['a promise failed and nobody waited for it; going on', 'Promise.reject(Error(`boom`))'],
    ['an exception was not caught; going on', '{throw(Error(`boom`))}'],
  ])('says %s, and serves', async (msg, fault) => {
    const one = start(['--data', dir, ...free], {
      NODE_OPTIONS: '--import=data:text/javascript,process.on(`SIGUSR2`,()=>FAULT)'.replace('FAULT', fault),
    })
    const { baseUrl } = await one.ready
    one.child.kill('SIGUSR2')
    await until('the fault is logged', () => one.log().includes(msg))
    expect(logged(one).find((line) => line.msg === msg)).toMatchObject({ err: { message: 'boom' } })
    expect((await signedClient(baseUrl, stored()).call(live.create, { name: 'after' })).code).toBe(200)
  })

  it('gives way to a service that has the data directory, and names it', async () => {
    const first = start(['--data', dir, ...free])
    await first.ready
    const second = start(['--data', dir, ...free])
    expect(await second.exited).toBe(1)
    // A sentence, without a stack.
    expect(second.log().split('\n')).toContain(
      `the data directory ${dir} is in use by another service (process ${first.child.pid}); ` +
        'stop it or choose another directory',
    )
    expect(second.log()).not.toContain('stack')
    expect(second.stdout()).toBe('')
  })

  it('loses nothing that it answered when it is killed, and starts again at once', async () => {
    const first = start(['--data', dir, ...free])
    const client = signedClient((await first.ready).baseUrl, stored())
    const answered: string[] = []
    const work = async (): Promise<never> => {
      for (let index = 0; ; index++) {
        const { ret } = await client.call(live.create, { name: `c${index}` })
        answered.push(ret!.cid)
        if (answered.length === 150) first.child.kill('SIGKILL')
      }
    }
    await expect(work()).rejects.toThrow(/ECONN|socket hang up/)
    expect(await first.exited).toBe('SIGKILL')
    const second = start(['--data', dir, ...free])
    const again = signedClient((await second.ready).baseUrl, stored())
    const list = (await again.call(live.list, { records: 1000 })).ret!
    const cids = new Set(list.list.map(({ cid }) => cid))
    expect(answered.length).toBeGreaterThanOrEqual(150)
    for (const cid of answered) expect(cids.has(cid)).toBe(true)
    expect(list.totalRecords).toBeLessThanOrEqual(answered.length + 1)
    expect((await again.call(live.create, { name: 'after' })).code).toBe(200)
  })

  it('names the folder that cannot hold its data, with what to do, and ends with code 1', async () => {
    writeFileSync(join(dir, 'file'), '')
    const folder = join(dir, 'file', 'data')
    const one = start(['--data', folder, ...free])
    expect(await one.exited).toBe(1)
    expect(one.log()).toContain(
      `something on the way to ${folder} is not a folder: move it away, or choose another folder, and start again`,
    )
    expect(one.stdout()).toBe('')
  })
})
