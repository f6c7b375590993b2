import type { ListenerChoice } from '../../contract/service-process.ts'
import { serverMakes, type IngestServer } from './ingest-server.ts'
import type { HooksChoice } from './ingest-servers.ts'

const dependent = ['hooks-host', 'hooks-way', 'ingest-server'] as const
const wayShape = /^rtmps?:\/\/[^/?#@\s]+$/
// Without a password, which others could read in the list of processes.
const serverShape = /^([a-z-]+)=(https?:\/\/[^/?#@\s]+)\/?$/

/** Reads the switches of ingest servers; undefined without any. `fault` makes the error of a wrong one. */
export function readHooksSwitches(
  values: { readonly [name in 'hooks-port' | 'hooks-host' | 'hooks-way']?: string | undefined } & {
    readonly 'ingest-server'?: readonly string[] | undefined
  },
  listener: (host: string | undefined, port: string) => ListenerChoice,
  fault: (sentence: string) => Error,
): HooksChoice | undefined {
  const { 'hooks-port': port, 'hooks-host': host, 'hooks-way': way, 'ingest-server': servers } = values
  if (port === undefined) {
    const without = dependent.find((name) => values[name] !== undefined)
    if (without !== undefined) throw fault(`--${without} needs --hooks-port.`)
    return undefined
  }
  if (way !== undefined && !wayShape.test(way))
    throw fault(`--hooks-way must be an address such as rtmp://10.0.0.5:1935, not "${way}".`)
  const serverOf = (given: string): IngestServer => {
    const [, name, url] = serverShape.exec(given) ?? []
    const make = serverMakes.find((one) => one === name)
    if (make === undefined || url === undefined)
      throw fault(
        `--ingest-server must be MAKE=URL such as srs=http://10.0.0.5:1985, with ${serverMakes.join(', ')} as makes.`,
      )
    return { make, url }
  }
  return {
    ...listener(host, port),
    ...(way !== undefined && { way }),
    ...(servers && { servers: servers.map(serverOf) }),
  }
}
