import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { startRedis } from '../e2e/cluster/redis.ts'
import { systemClock } from '../platform/clock.ts'
import { createRedisBus } from './bus/redis-bus.ts'
import { openS3Blobs } from './blobs/s3-blobs.ts'
import { PlaceFault } from './place-fault.ts'
import { claimNodeName } from './presence/node-claim.ts'
import { selfSigned } from './reach/testing/certificates.ts'
import { openRedisScripts } from './redis/redis-scripts.ts'
import { openPostgresStore } from './storage/store-postgres.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { silentLog } from './log.ts'
import { describeOnPostgres, describeOnRedis, describeOnS3, testObjects } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { httpRequest } from './testing/http-request.ts'
import { makeBucket } from './testing/s3-bucket.ts'
import { startServiceProcess } from './testing/service-process.ts'
import { startService, testCredentials, type TestService } from './testing/start-service.ts'

const anyPort = { host: '127.0.0.1', port: 0 }
const anyPorts = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']

describeOnRedis('the start of a service of a cluster', () => {
  let count = 0
  const begin = async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const database = await testDatabase(`start ${process.pid} ${++count}`)
    const cluster = (node: string) => ({ redis: { url: redis.url, prefix: 'sidestage' }, node })
    const start = async (node: string, appSecret: string = testCredentials.appSecret): Promise<TestService> => {
      const credentials = { appKey: testCredentials.appKey, appSecret }
      const service = await startService({ database, cluster: cluster(node), credentials, metrics: anyPort })
      onTestFinished(() => service.close())
      return service
    }
    return { redis, start }
  }

  it('ends where the key pair is not that of those that run, and takes another one when none runs', async () => {
    const { start } = await begin()
    const a = await start('a')
    const ofOther = start('b', 'another-long-secret')
    await expect(ofOther).rejects.toThrow(PlaceFault)
    await expect(ofOther).rejects.toThrow(/^SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET differ/)
    const b = await start('b')
    await a.stop()
    await expect(start('a', 'another-long-secret')).rejects.toThrow(/differ/)
    await b.stop()
    await start('a', 'another-long-secret')
    await expect(start('b')).rejects.toThrow(/differ/)
  })

  it('ends where its name is taken', async () => {
    const { start } = await begin()
    const a = await start('a')
    await expect(start('a')).rejects.toThrow(/^another service of the cluster is named a \(--node\)/)
    await a.stop()
    await start('a')
  })

  it('tells a scrape whether Redis is there', async () => {
    const { start, redis } = await begin()
    const { service } = await start('a')
    const scrape = async (): Promise<string> =>
      (await httpRequest(`${service.metricsUrl}/metrics`, { method: 'GET' })).text
    expect(await scrape()).toContain('\nsidestage_redis_up 1\n')
    expect(await scrape()).toContain('\nsidestage_database_up 1\n')
    await redis.kill()
    await eventually(async () => expect(await scrape()).toContain('\nsidestage_redis_up 0\n'))
    await redis.start()
    await eventually(async () => expect(await scrape()).toContain('\nsidestage_redis_up 1\n'))
  })

  it('ends without a key pair', async () => {
    const { url } = (await testDatabase(`start ${process.pid} pair`))!
    const data = mkdtempSync(join(tmpdir(), 'sidestage-start-'))
    const started = startServiceProcess(['--data', data, '--node', 'a'], {
      SIDESTAGE_DATABASE_URL: url,
      SIDESTAGE_REDIS_URL: 'redis://127.0.0.1:1',
    })
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    expect(await started.exited).toBe(2)
    expect(started.log()).toMatch(/^SIDESTAGE_APP_KEY and SIDESTAGE_APP_SECRET are missing: /)
  })
})

describeOnRedis('the claim of a name', () => {
  const begin = async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const ends: string[] = []
    const claim = async (run: string, check = 'one') => {
      const scripts = await openRedisScripts({ url: redis.url, prefix: 'x' }, { clock: systemClock, log: silentLog })
      onTestFinished(() => scripts.close())
      const mustEnd = (why: string): void => void ends.push(`${run}: ${why}`)
      const given = { node: 'a', run, check, clock: systemClock, log: silentLog, mustEnd }
      const held = await claimNodeName({ ...given, redis: scripts })
      onTestFinished(() => held.close())
      return { scripts, held }
    }
    return { redis, claim, ends }
  }

  it('is over soon after a run was killed, and its next run goes on', async () => {
    const { claim, ends } = await begin()
    const { scripts } = await claim('first')
    await scripts.close()
    await claim('second', 'two')
    expect(ends).toEqual([])
  })

  it('of two that began while Redis was away is one that goes on', async () => {
    const { redis, claim, ends } = await begin()
    await redis.kill()
    await Promise.all([claim('first'), claim('second')])
    await redis.start()
    await eventually(() => expect(ends).toHaveLength(1))
    expect(ends[0]).toMatch(/^(?:first|second): another service of the cluster is named a/)
  })
})

describeOnRedis('a Redis that is named wrongly', () => {
  it('ends the start with what is to be changed, and one that is away is waited for', async () => {
    const redis = await startRedis({ password: 'right' })
    onTestFinished(() => redis.close())
    const at = (before: string, after = ''): string => `${before}127.0.0.1:${redis.port}${after}`
    for (const [url, words] of [
      [at('redis://:hidden@'), 'the user or password is not accepted'],
      [at('redis://'), 'a password is needed'],
      [at('redis://:right@', '/99'), 'it has no database of that number'],
      [at('rediss://:right@'), 'speaks no TLS'],
      [at('redis://:right@', '/none'), 'must be an address such as'],
    ] as const)
      for (const open of [createRedisBus, openRedisScripts]) {
        const opening = open({ url, prefix: 'x' }, { clock: systemClock, log: silentLog })
        await expect(opening, url).rejects.toThrow(PlaceFault)
        await expect(opening).rejects.toThrow(words)
        await expect(opening).rejects.toThrow(/^SIDESTAGE_REDIS_URL(?!.*hidden)/)
      }
    await redis.kill()
    const warnings: string[] = []
    const log = { ...silentLog, warn: (_about: object, sentence: string) => void warnings.push(sentence) }
    const scripts = await openRedisScripts({ url: at('redis://:right@'), prefix: 'x' }, { clock: systemClock, log })
    onTestFinished(() => scripts.close())
    expect(scripts.up()).toBe(false)
    const since = 'what services count together is counted by each alone'
    expect(warnings).toEqual([
      `no Redis answers at the address of SIDESTAGE_REDIS_URL; it is tried again until one does: ${since}`,
    ])
    await redis.start()
    await eventually(() => expect(scripts.up()).toBe(true))
    await redis.kill()
    await eventually(() => expect(warnings.slice(1)).toEqual([`Redis is away: ${since}`]))
  })
})

describeOnRedis('a port that speaks TLS', () => {
  it.each([
    ['to anybody', {}],
    ['to those with a certificate', { requestCert: true }],
    ['of an older version to those with a certificate', { requestCert: true, maxVersion: 'TLSv1.2' }],
  ] as const)('%s ends the start of a service that names it without', async (_what, settings) => {
    const { key, cert } = await selfSigned(['127.0.0.1'])
    const server = createServer({ ...settings, key, cert }, (socket) => socket.on('error', () => undefined))
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const data = mkdtempSync(join(tmpdir(), 'sidestage-start-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    const { exited, log } = startServiceProcess(['--data', data, '--node', 'a', ...anyPorts], {
      SIDESTAGE_APP_KEY: testCredentials.appKey,
      SIDESTAGE_APP_SECRET: testCredentials.appSecret,
      SIDESTAGE_DATABASE_URL: (await testDatabase(`start ${process.pid} tls`))!.url,
      SIDESTAGE_REDIS_URL: `redis://:hidden@127.0.0.1:${port}`,
    })
    expect(await exited).toBe(2)
    const said = 'SIDESTAGE_REDIS_URL: this Redis speaks TLS there: its address begins with rediss://'
    expect(log().split('\n')).toContain(said)
    expect(log()).not.toContain('hidden')
  })
})

describeOnPostgres('a database that is named wrongly', () => {
  it('ends the start with one line that names the variable, and says the reason once', async () => {
    const { url } = (await testDatabase(`start ${process.pid} wrong`))!
    const data = mkdtempSync(join(tmpdir(), 'sidestage-start-'))
    onTestFinished(() => rmSync(data, { recursive: true, force: true }))
    const wrong = new URL(url)
    wrong.port = '1'
    const { exited, log } = startServiceProcess(['--data', data], { SIDESTAGE_DATABASE_URL: wrong.href })
    expect(await exited).toBe(2)
    const lines = log()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{"level":30'))
    expect(lines).toEqual([expect.stringMatching(/^SIDESTAGE_DATABASE_URL: the database cannot be reached: /)])
    expect(lines[0]!.match(/ECONNREFUSED/g)).toHaveLength(1)
  })

  it('is told by TLS that it does not speak', async () => {
    const { url, schema } = (await testDatabase(`start ${process.pid} tls`))!
    const opening = openPostgresStore({ url: `${url}?sslmode=verify-full`, schema })
    await expect(opening).rejects.toThrow(PlaceFault)
    await expect(opening).rejects.toThrow(
      'SIDESTAGE_DATABASE_URL: this PostgreSQL speaks no TLS there: its address has no sslmode, or sslmode=disable',
    )
  })

  it('is told by the words of the server', async () => {
    const { url, schema } = (await testDatabase(`start ${process.pid} none`))!
    const wrong = new URL(url)
    wrong.pathname = '/of_nobody'
    const opening = openPostgresStore({ url: wrong.href, schema })
    await expect(opening).rejects.toThrow(PlaceFault)
    await expect(opening).rejects.toThrow(/^SIDESTAGE_DATABASE_URL: .*"of_nobody" does not exist/)
  })
})

describeOnS3('an object store that is named wrongly', () => {
  const begin = async (change: Partial<ReturnType<typeof testObjects>>) => {
    const warnings: string[] = []
    const log = { warn: (_about: object, sentence: string) => void warnings.push(sentence) }
    const blobs = await openS3Blobs({ ...testObjects('start'), ...change }, { log })
    onTestFinished(() => blobs.close())
    return { blobs, warnings }
  }
  it.each([
    ['BUCKET', { bucket: 'nobucket' }],
    ['(?:ACCESS|SECRET)_KEY', { accessKey: 'nobody' }],
    ['SECRET_KEY', { secretKey: 'wrong' }],
    ['REGION', { region: 'eu-1' }],
  ] as const)('ends the start with the variable: %s', async (name, change) => {
    const { blobs } = await begin(change)
    await expect(blobs.begun()).rejects.toThrow(PlaceFault)
    await expect(blobs.begun()).rejects.toThrow(new RegExp(`^SIDESTAGE_S3_${name}: `))
  })

  it('is waited for where it does not answer, which is told', async () => {
    const { blobs, warnings } = await begin({ endpoint: 'http://127.0.0.1:1' })
    await blobs.begun()
    expect(warnings).toEqual([expect.stringMatching(/^SIDESTAGE_S3_ENDPOINT: the object store cannot be used now: /)])
    await makeBucket(testObjects('start'))
    const right = await begin({})
    await right.blobs.begun()
    expect(right.warnings).toEqual([])
  })
})
