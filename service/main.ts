import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Credentials } from '../contract/service-process.ts'
import { asDiskFault, DiskFault } from '../platform/disk-fault.ts'
import { UsageError, readCommandLine, usage } from './command-line.ts'
import { standAloneCredentials } from './credentials.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { type Log, openProcessLog } from './log.ts'
import { createService } from './root.ts'
import type { Service } from './service.ts'
import { DataDirInUse } from './storage/instance-lock.ts'
import { DatabaseFault } from './storage/main-database.ts'
import { createShutdown } from './shutdown.ts'
import { SwitchFault } from './switch-fault.ts'

/** Folder of the built watch page, from the bundle or the source. */
const builtWatchDir = (): string | undefined =>
  ['../watch', '../out/watch']
    .map((folder) => path.join(import.meta.dirname, folder))
    .find((folder) => existsSync(folder))

function readCredentials(dataDir: string, log: Log): Credentials {
  try {
    return standAloneCredentials(dataDir, process.env, log)
  } catch (error) {
    throw asDiskFault(dataDir, error)
  }
}

/** The stand-alone service: one ready line on stdout, log on stderr, exit code 2 for an invalid command line. */
async function main(): Promise<void> {
  boundHeapGrowth()
  const { log, flush } = openProcessLog()
  let service: Service | undefined
  createShutdown({ log, flush }, async () => service?.close())
  try {
    const choices = readCommandLine(process.argv.slice(2))
    if (choices === 'help') {
      process.stdout.write(`${usage}\n`)
      return
    }
    // Answers have paths of the folder, for callers that do not know where this process was started.
    const dataDir = path.resolve(choices.dataDir)
    const credentials = readCredentials(dataDir, log)
    const watchDir = builtWatchDir()
    service = await createService({
      ...choices,
      dataDir,
      ...(watchDir !== undefined && { watchDir }),
      credentials,
      log,
      targetKeysInFile: true,
    })
    process.stdout.write(`${JSON.stringify(service.ready)}\n`)
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message} --help lists the switches.\n`)
      process.exit(2)
    }
    // A sentence for the operator; the stack says nothing more.
    if (error instanceof DiskFault || error instanceof SwitchFault || error instanceof DataDirInUse)
      process.stderr.write(`${error.message}\n`)
    else if (error instanceof DatabaseFault)
      process.stderr.write(`${error.message} (--restore-copy latest, --begin-anew)\n`)
    else log.error({ err: error }, error instanceof Error ? error.message : 'the service could not start')
    await flush()
    process.exit(1)
  }
}

await main()
