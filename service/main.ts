import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Credentials } from '../contract/service-process.ts'
import { asDiskFault, DiskFault } from '../platform/disk-fault.ts'
import { sharedPlaces } from './cluster-place.ts'
import { readCommandLine, UsageError } from './command-line.ts'
import { standAloneCredentials } from './credentials.ts'
import { boundHeapGrowth } from './heap-growth.ts'
import { requireOwner } from './data-owner.ts'
import { type Log, openProcessLog } from './log.ts'
import { objectPlace } from './object-place.ts'
import { createService } from './root.ts'
import type { Service } from './service.ts'
import { DataDirInUse } from './storage/instance-lock.ts'
import { DatabaseFault } from './storage/main-database.ts'
import { isPreloaded, openSpans } from './tracing/open-telemetry.ts'
import { PlaceFault } from './place-fault.ts'
import { createShutdown } from './shutdown.ts'
import { SwitchFault } from './switch-fault.ts'
import { defaultDrain, usage } from './usage.ts'

/** Folder of the built watch page, from the bundle or the source. */
const builtWatchDir = (): string | undefined =>
  ['../watch', '../out/watch']
    .map((folder) => path.join(import.meta.dirname, folder))
    .find((folder) => existsSync(folder))

function readCredentials(dataDir: string, isShared: boolean, log: Log): Credentials {
  try {
    return standAloneCredentials(dataDir, process.env, log, isShared)
  } catch (error) {
    throw asDiskFault(dataDir, error)
  }
}

/** The stand-alone service: one ready line on stdout, log on stderr, exit code 2 for an invalid command line. */
async function main(): Promise<void> {
  boundHeapGrowth()
  const { log, flush } = openProcessLog()
  let service: Service | undefined
  let drain = 0
  const { leave } = createShutdown(
    { log, flush },
    async () => service?.close(),
    () => drain,
  )
  try {
    const choices = readCommandLine(process.argv.slice(2))
    if (choices === 'help') {
      process.stdout.write(`${usage}\n`)
      return
    }
    drain = choices.drain ?? defaultDrain
    // Answers have paths of the folder, for callers that do not know where this process was started.
    const dataDir = path.resolve(choices.dataDir)
    requireOwner(dataDir)
    const places = sharedPlaces(process.env, choices)
    const objects = objectPlace(process.env, places.database?.schema)
    const credentials = readCredentials(dataDir, places.cluster !== undefined, log)
    const watchDir = builtWatchDir()
    const isTraced = isPreloaded(process.execArgv, process.env['NODE_OPTIONS'])
    service = await createService({
      ...choices,
      ...places,
      objects,
      drain,
      dataDir,
      ...(watchDir !== undefined && { watchDir }),
      credentials,
      log,
      spans: isTraced ? await openSpans() : undefined,
      targetKeysInFile: true,
      // Whoever supervises it starts it again.
      mustEnd: (why) => leave(why, 1),
    })
    const { ready, metricsUrl, hooksUrl } = service
    process.stdout.write(`${JSON.stringify({ ...ready, metricsUrl, hooksUrl })}\n`)
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message} --help lists the switches.\n`)
      process.exit(2)
    }
    if (error instanceof PlaceFault) {
      await flush()
      process.stderr.write(`${error.message}\n`)
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
