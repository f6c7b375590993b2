import type { HostName, Network } from './hosts.ts'
import { addresses } from './hosts.ts'

/** An answer to a question for a name, as a host heard it by multicast. */
export interface HeardName {
  readonly address: string
  readonly ttl: number
}

/** Asks for a name over and over by multicast DNS; writes each answer as a line, and `{}` for a question. */
const resolver = `const mdns = require('multicast-dns')({ interface: process.env.FROM, bind: '0.0.0.0' })
const name = process.env.NAME
mdns.on('response', ({ answers }) => {
  for (const { name: own, type, data: address, ttl } of answers)
    if (own === name && type === 'A') console.log(JSON.stringify({ address, ttl }))
})
const ask = () => mdns.query({ questions: [{ name, type: 'A' }] }, () => console.log('{}'))
mdns.on('ready', () => setInterval(ask, 200))`

/** Asks for a name from a host until it is ended. */
export function resolveByMulticast(network: Network, host: HostName & keyof typeof addresses, name: string) {
  const environment = [`FROM=${addresses[host]}`, `NAME=${name}`]
  const child = network.start(host, ['env', ...environment, process.execPath, '-e', resolver])
  let said = ''
  child.stdout?.on('data', (part: Buffer) => (said += part.toString()))
  const lines = (): string[] => said.split('\n').slice(0, -1)
  return {
    /** How often it asked. */
    asked: (): number => lines().filter((line) => line === '{}').length,
    heard: (): HeardName[] =>
      lines()
        .filter((line) => line !== '{}')
        .map((line) => JSON.parse(line) as HeardName),
    end: (): void => void child.kill('SIGKILL'),
  }
}
