import path from 'node:path'
import { parseArgs } from 'node:util'
import { createUndoStack } from '../platform/undo-stack.ts'
import { maxNodes, startCluster } from './cluster/cluster.ts'
import { missingPackages } from './cluster/engines.ts'

/**
 * `npm run --silent cluster -- --nodes N --data DIR`: a cluster on this computer, to try it and for tests. One ready
 * line on stdout, what happens to its programs on stderr, what they log in DIR/logs.
 */
const usage = `Usage: npm run --silent cluster -- --data DIR [--nodes N] [--without-s3] [--programs DIR]
  [-- SWITCHES OF EACH NODE]
Starts PostgreSQL, Redis, Swift with S3, N nodes (3 when absent, ${maxNodes} at most) and HAProxy on free ports
of 127.0.0.1, and prints one ready line as npm run service does, with nodes and engines. What ends by itself is started
again, after a second where it had just begun: with --programs from DIR/NAME OF THE NODE, which may be a link to another
build by then. SIGTERM ends all of it in order. Data, passwords, ports and logs are in DIR. With --without-s3 files stay
on the disk of each node.`

const say = (line: string): void => void process.stderr.write(`sidestage: ${line}\n`)
const misused = (sentence: string): never => {
  say(`${sentence} --help lists the switches.`)
  process.exit(2)
}

function readOptions() {
  // What stands behind it is for the nodes.
  const argv = process.argv.slice(2)
  const at = argv.includes('--') ? argv.indexOf('--') : argv.length
  try {
    const { values } = parseArgs({
      args: argv.slice(0, at),
      options: {
        data: { type: 'string' },
        nodes: { type: 'string', default: '3' },
        programs: { type: 'string' },
        'without-s3': { type: 'boolean', default: false },
        help: { type: 'boolean' },
      },
    })
    return { ...values, withStore: !values['without-s3'], switches: argv.slice(at + 1) }
  } catch (error) {
    return misused(error instanceof Error ? `${error.message.split('. ')[0]!.replace(/\.$/, '')}.` : String(error))
  }
}

async function main(): Promise<void> {
  const { data, nodes, programs, help, withStore, switches } = readOptions()
  if (help) {
    process.stdout.write(`${usage}\n`)
    return
  }
  if (data === undefined) return misused('--data DIR is missing: name the folder where the cluster keeps its data.')
  if (!/^[0-9]{1,2}$/.test(nodes) || Number(nodes) < 1 || Number(nodes) > maxNodes)
    return misused(`--nodes must be a number from 1 to ${maxNodes}, not "${nodes}".`)
  if (process.platform !== 'linux') throw new Error('a cluster is started on Linux only')
  const missing = missingPackages(withStore)
  if (missing.length > 0) throw new Error(`a cluster needs: sudo apt-get install ${missing.join(' ')}`)

  const undo = createUndoStack((error) => say(error instanceof Error ? error.message : String(error)))
  const ending = new AbortController()
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        ending.abort(new Error(`${signal} ended the start`))
        resolve()
      })
  })
  try {
    const options = {
      folder: path.resolve(data),
      nodes: Number(nodes),
      switches,
      ...(programs !== undefined && { programs: path.resolve(programs) }),
      withStore,
      say,
      signal: ending.signal,
    }
    const ready = await startCluster({ ...options, env: { ...process.env } }, undo)
    process.stdout.write(`${JSON.stringify(ready)}\n`)
    await asked
  } finally {
    await undo.close()
  }
}

try {
  await main()
  process.exit(0)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
