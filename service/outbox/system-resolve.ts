import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import type { Resolve } from './address-guard.ts'

/** The system's resolver. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** Current addresses of this computer's interfaces. */
export const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one ? [one.address] : []))
