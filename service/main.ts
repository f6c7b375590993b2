import { UsageError, readCommandLine, usage } from './command-line.ts'
import { standAloneCredentials } from './credentials.ts'
import { createLog } from './log.ts'
import { createService, type Service } from './service.ts'
import { createShutdown } from './shutdown.ts'

/** The stand-alone service: one ready line on stdout, its log on stderr, exit code 2 for a command line that cannot be followed. */
async function main(): Promise<void> {
  const log = createLog()
  let service: Service | undefined
  createShutdown(log, async () => service?.close())
  try {
    const choices = readCommandLine(process.argv.slice(2))
    if (choices === 'help') {
      process.stdout.write(`${usage}\n`)
      return
    }
    const credentials = standAloneCredentials(choices.dataDir, process.env, log)
    service = await createService({ ...choices, credentials, log })
    process.stdout.write(`${JSON.stringify(service.ready)}\n`)
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${usage}\n`)
      process.exit(2)
    }
    log.error({ err: error }, error instanceof Error ? error.message : 'the service could not start')
    process.exit(1)
  }
}

void main()
