import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { live } from '../contract/operations/index.ts'
import { awayWords, faultOf } from './away-words.ts'
import { createLog } from './log.ts'
import { openPostgresStore } from './storage/store-postgres.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { asCall } from './storage/unchanged.ts'
import { describeOnPostgres } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { httpRequest } from './testing/http-request.ts'
import { startService } from './testing/start-service.ts'

/** A way to a database that can be cut; `place` is the database by that way. */
async function cuttable(name: string) {
  const database = (await testDatabase(name))!
  const there = new URL(database.url)
  let isCut = false
  const open = new Set<Socket>()
  const between = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    if (isCut) return void socket.destroy()
    const further = connect(Number(there.port), there.hostname)
    further.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    socket.on('close', () => further.destroy())
    socket.pipe(further).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  onTestFinished(() => void between.close())
  const at = new URL(database.url)
  at.host = `127.0.0.1:${(between.address() as AddressInfo).port}`
  return {
    place: { ...database, url: at.href },
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend: () => void (isCut = false),
  }
}

describeOnPostgres('a service whose database is away', () => {
  it('says that nothing was changed only where no transaction of the call was stored before', async () => {
    const { place, cut } = await cuttable(`away ${process.pid}`)
    const store = await openPostgresStore(place)
    onTestFinished(() => store.close())
    const put = (name: string) => store.db.insertInto('serviceKey').values({ name, key: 'k' }).execute()
    const said = (work: () => Promise<unknown>) =>
      asCall(() =>
        work().then(
          () => undefined,
          (error: unknown) => faultOf(error).sentence,
        ),
      )
    const between = async (): Promise<void> => {
      await put('first')
      cut()
      await store.db.selectFrom('serviceKey').selectAll().execute()
    }
    expect(await said(between)).toBe(awayWords.partly)
    expect(await said(() => put('second'))).toBe(awayWords.unasked)
  })

  it('says so to callers and readers of files, without a stack for each, and goes on when it is back', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-away-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const { place, cut, mend } = await cuttable(dataDir)
    let logged = ''
    const log = createLog({ destination: { write: (line: string) => void (logged += line) } })
    const service = await startService({ dataDir, database: place, log })
    onTestFinished(() => service.stop())
    expect((await service.call(live.create, { name: 'before' })).code).toBe(200)
    cut()
    const said = (await service.call(live.create, { name: 'meanwhile' })) as { readonly msg?: string }
    expect(said.msg).toBe(awayWords.unasked)
    const file = `${service.service.ready.mediaUrl}/files/${'x'.repeat(32)}`
    for (let turn = 0; turn < 5; turn++) {
      const { status, headers, text } = await httpRequest(file, { method: 'GET' })
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(text).toContain(awayWords.unasked)
    }
    const ofFiles = logged.split('\n').filter((line) => line.includes('a request failed'))
    expect(ofFiles).toHaveLength(5)
    expect(ofFiles.join()).not.toContain('"stack"')
    // What is done from time to time fails too.
    const ofItself = /"level":(?:40|50),.*"msg":"(?!a request failed|an operation failed|PostgreSQL|the \w+ listener)/
    await eventually(() => expect(logged).toMatch(ofItself))
    mend()
    expect((await service.call(live.create, { name: 'after' })).code).toBe(200)
    expect(logged).not.toContain('"stack"')
    const ofDatabase = logged.split('\n').filter((line) => line.includes('PostgreSQL is'))
    expect(ofDatabase.map((line) => line.replace(/"time":"[^"]*",/, ''))).toEqual([
      expect.stringMatching(/^\{"level":40,"reason":"[^"]+","msg":"PostgreSQL is away: /),
      '{"level":30,"msg":"PostgreSQL is there again"}',
    ])
    expect((await httpRequest(file, { method: 'GET' })).status).toBe(404)
  })
})
