import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog, silentLog } from '../log.ts'
import { createDatabaseCopies } from '../storage/database-copies.ts'
import { startService } from '../testing/start-service.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

test('a copy that is put back with a wider reach is said in the log, with the doors that it opens', async () => {
  const certificate = certificateFiles()
  certificate.write(await selfSigned(['127.0.0.1']))
  const { certificateFile, keyFile } = certificate
  let service = await startService()
  const { dataDir } = service
  onTestFinished(async () => {
    await service.close()
    certificate.remove()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const copy = async (): Promise<void> => {
    const copies = createDatabaseCopies({ dataDir, clock: systemClock, log: silentLog })
    expect(await copies.make()).toBe('made')
    await copies.close()
  }
  let logged = ''
  const log = createLog({ level: 'warn', destination: { write: (line: string) => void (logged += line) } })
  const damageAndStart = async (): Promise<void> => {
    await service.stop()
    writeFileSync(join(dataDir, 'sidestage.db'), 'not a database any more')
    logged = ''
    service = await startService({ dataDir, log, recovery: { copy: 'latest' } })
  }
  await copy()
  await damageAndStart()
  expect(logged).toContain('the database was replaced by a copy')
  expect(logged).not.toContain('the reach is as the database has it')
  rmSync(join(dataDir, 'copies'), { recursive: true })

  const port = await freePort()
  const opened = await service.call(local.updateReach, { reach: 'port', port, certificateFile, keyFile })
  expect(opened.code).toBe(200)
  await copy()
  await service.call(local.updateReach, { reach: 'computer' })
  await damageAndStart()
  const { ret } = await service.call(local.reach, {})
  const [door] = ret!.doors
  expect(ret!.reach).toBe('port')
  const line = logged.split('\n').find((each) => each.includes('the reach is as the database has it'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    reach: 'port',
    doors: expect.arrayContaining([expect.stringMatching(new RegExp(`^media .+:${door!.port}$`))]) as string[],
  })
})
