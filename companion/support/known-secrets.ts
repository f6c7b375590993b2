import type { Field, Fields } from '../../contract/field.ts'
import type { SecretPlaces } from '../../contract/rpc/secret.ts'
import type { Client } from '../client/client.ts'
import type { Vault } from '../secrets/vault.ts'
import { createLru, type Lru } from '../../platform/lru.ts'

/** Every secret seen since the start, in memory, for redaction. */
export type KnownSecrets = ReturnType<typeof createKnownSecrets>

/** The oldest is dropped. */
const most = 5_000
/** Shorter texts cannot be told from others. */
export const shortest = 4
/** Longer texts are kept by line. */
const longest = 8_192
/** Members that are not secret. */
const plain = new Set(['liveUrl', 'messagingUrl', 'host', 'address'])

/** Values of an entry that is JSON; the text itself where it is not. */
function membersOf(secret: string): string[] {
  if (!secret.startsWith('{')) return [secret]
  try {
    const read = JSON.parse(secret) as Record<string, unknown>
    return Object.entries(read).flatMap(([name, value]) =>
      typeof value === 'string' && !plain.has(name) ? [value] : [],
    )
  } catch {
    return [secret]
  }
}

/** Also lines of a key and signed query values. */
function partsOf(secret: string): string[] {
  const lines = secret.includes('\n')
    ? secret.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith('-----'))
    : []
  const signed = [...secret.matchAll(/[?&#][\w-]+=([^&#\s]{8,})/g)]
    .map(([, value]) => value ?? '')
    .filter((value) => !/^\d+$/.test(value))
  return [secret, ...lines, ...signed]
}

/** Makes an empty collection. */
export function createKnownSecrets() {
  const kept = createLru<true>(most)
  const passed = createLru<true>(most)
  const add = (to: Lru<true>, parts: readonly string[]): void => {
    for (const part of parts) if (part.length >= shortest && part.length <= longest) to.set(part, true)
  }
  return {
    /** Also notes parts of addresses and lines of keys. */
    note: (secret: string) => add(passed, partsOf(secret)),
    /** A vault entry, maybe JSON; never displaced by passing secrets. */
    noteKept: (secret: string) => add(kept, membersOf(secret).flatMap(partsOf)),
    all: (): Iterable<string> => new Set([...kept.keys(), ...passed.keys()]),
  }
}

/** Notes values of the vault. */
export const notingVault = (vault: Vault, { noteKept }: KnownSecrets): Vault => ({
  ...vault,
  get: async (account) => {
    const secret = await vault.get(account)
    if (secret !== undefined) noteKept(secret)
    return secret
  },
  set: (account, secret) => {
    noteKept(secret)
    return vault.set(account, secret)
  },
})

function noteFields(fields: Fields, value: unknown, note: (secret: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  const one = (field: Field, each: unknown): void => {
    if (field.secret) {
      if (typeof each === 'string') note(each)
    } else if (field.kind === 'object') noteFields(field.members, each, note)
    else if (field.kind === 'list' && Array.isArray(each)) for (const element of each) one(field.of, element)
  }
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field) one(field, member)
  }
}

/** Notes values where the contract has secrets. */
export function noteAt(places: SecretPlaces | undefined, value: unknown, known: Pick<KnownSecrets, 'note'>): void {
  if (places === undefined || value === null) return
  if (places === true) {
    if (typeof value === 'string') known.note(value)
  } else if (Array.isArray(value)) for (const each of value) noteAt(places['*'], each, known)
  else if (typeof value === 'object')
    for (const [name, within] of Object.entries(places))
      if (Object.hasOwn(value, name)) noteAt(within, (value as Readonly<Record<string, unknown>>)[name], known)
}

/** Notes secrets in calls and answers. */
export const notingClient = (client: Client, { note }: KnownSecrets): Client => ({
  call: async (operation, args) => {
    noteFields(operation.parameters, args, note)
    const answer = await client.call(operation, args)
    noteFields(operation.answer, answer, note)
    return answer
  },
  exchange: async (operation, args) => {
    noteFields(operation.parameters, args, note)
    const exchange = await client.exchange(operation, args)
    try {
      noteFields(operation.answer, JSON.parse(exchange.answer.text) as unknown, note)
    } catch {
      // Not JSON.
    }
    return exchange
  },
  stream: (operation, args, signal) => client.stream(operation, args, signal),
})
