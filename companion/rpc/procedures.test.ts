import { expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../contract/rpc/events.ts'
import { secretsOf } from '../../contract/rpc/secret.ts'
import { procedures } from './procedures.ts'

it('has somebody who may call each procedure, and a rule for each that moderators may', () => {
  expect(procedures.size).toBeGreaterThan(140)
  for (const [name, { audience, docs, seat }] of procedures) {
    expect(docs, name).not.toBe('')
    expect(audience, name).toContain('page')
    expect(audience.includes('moderator'), name).toBe(seat !== undefined)
  }
})

it('has somebody who hears each event, and its slice where it is a state', () => {
  for (const [type, { schema, audience, slice, kept, docs }] of Object.entries(events)) {
    expect(schema.shape.type.value, type).toBe(type)
    expect(audience, type).toContain('page')
    expect(slice === null && kept, `${type} is kept and has no slice`).toBe(false)
    expect(docs, type).not.toBe('')
    for (const path of slice ?? []) {
      let at: unknown = schema
      for (const name of path.split('.')) at = (at as { shape: Record<string, unknown> }).shape[name]
      expect(at, `${type}: ${path}`).toBeDefined()
    }
  }
})

/** Names that secrets have, where they are no words of the contract. */
const telling = /^(?:\w*secret|\w*token|password|signKey|key|code|link|appLink)$/i

/** Texts of a schema that are called like secrets and not marked. */
function* unmarked(schema: unknown, path: string): Generator<string> {
  if (schema === undefined || secretsOf(schema as z.core.$ZodType) === true) return
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) yield* unmarked(schema.unwrap(), path)
  else if (schema instanceof z.ZodArray) yield* unmarked(schema.element, path)
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* unmarked(option, path)
  else if (schema instanceof z.ZodObject)
    for (const [name, member] of Object.entries(schema.shape)) yield* unmarked(member, `${path}.${name}`)
  else if (schema instanceof z.ZodString && telling.test(path.split('.').at(-1) ?? '')) yield path
}

it('leaves no text unmarked that is called like a secret, but those that are none', () => {
  const found = [...procedures].flatMap(([name, { input, output }]) => [
    ...unmarked(input, name),
    ...unmarked(output, name),
  ])
  expect([...new Set(found)].sort()).toEqual([
    // Paths of recorded files in the storage, and names of elements in the queue of a room.
    'recordings.all.files.key',
    'recordings.list.files.key',
    'rooms.act.action.what.key',
    'rooms.act.measure.key',
    'rooms.act.taken.key',
    'rooms.actions.what.key',
    'rooms.second.after.key',
    'rooms.second.before.key',
    'rooms.second.file.key',
  ])
})

it('marks what is a secret in each procedure', () => {
  const marked = [...procedures].flatMap(([name, { secrets }]) =>
    Object.entries(secrets).flatMap(([side, places]) => (places === undefined ? [] : [`${name} ${side}`])),
  )
  expect(marked.sort()).toEqual([
    'access.addLink output',
    'access.linkAddress output',
    'access.startVisit output',
    'access.update input',
    'joined.join input',
    'messaging.createAccount output',
    'messaging.refreshToken output',
    'messaging.signIn input',
    'obs.configure input',
    'profiles.add input',
    'profiles.check input',
    'profiles.update input',
    'push.copy output',
    'push.reveal output',
    'receivers.setSignKey input',
    'receivers.signKey output',
    'seats.invite output',
    'seats.inviteAgain output',
    'seats.useCertificate input',
    'targets.add input',
    'targets.update input',
  ])
})
