import asyncApiSpecs from '@asyncapi/specs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { linkPushes, linkRequests } from '../../contract/link/frames.ts'
import { operations } from '../../contract/operations/index.ts'
import type { Fields } from '../../contract/field.ts'
import { readParameters } from '../../contract/validate.ts'
import { asyncApi } from './asyncapi.ts'
import { exampleOfMembers, schemaOfMembers, type Schema } from './json-schema.ts'
import { openApi } from './openapi.ts'

/** As readers of the files get them. */
const read = <T>(made: T): T => JSON.parse(JSON.stringify(made)) as T

/** A body in a document. */
interface Media {
  readonly schema: Schema
  readonly example?: unknown
}
interface Described {
  readonly operationId: string
  readonly requestBody: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

describe('docs/openapi.json', () => {
  const document = read(openApi())
  const described = [...Object.values(document.paths), ...Object.values(document.webhooks)].map(
    ({ post }) => post as unknown as Described,
  )
  const judge = (given: unknown) => new Validator().validate(read(given) as Record<string, unknown>)

  it('is OpenAPI 3.1', async () => {
    expect(await judge(document)).toEqual({ valid: true })
  })

  it.each<[string, (broken: ReturnType<typeof openApi>) => unknown]>([
    ['without a version', (broken) => ({ ...broken, openapi: undefined })],
    [
      'with a parameter in no place',
      (broken) => {
        Object.assign(broken.webhooks.recordingReady.post.parameters[0]!, { in: 'nowhere' })
        return broken
      },
    ],
    [
      'with an answer that is not there',
      (broken) => {
        Object.assign(broken.paths['/app/channel/create']!.post, { responses: [] })
        return broken
      },
    ],
    [
      'with a scheme that has no name',
      (broken) => {
        Object.assign(broken.components.securitySchemes.CheckSum!, { name: undefined })
        return broken
      },
    ],
  ])('is refused %s', async (_, breaking) => {
    expect(await judge(breaking(structuredClone(document)))).toMatchObject({ valid: false })
  })

  it('has references that lead somewhere', () => {
    const text = JSON.stringify(document)
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!)
    expect(references.length).toBeGreaterThan(300)
    for (const path of new Set(references)) {
      const found = path.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
      expect([path, typeof found]).toEqual([path, 'object'])
    }
  })

  it('has each operation once, with a name of its own', () => {
    const names = described.map(({ operationId }) => operationId)
    expect(Object.keys(document.paths)).toHaveLength(operations.length)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/)
  })

  it('has examples that pass their schemas', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'document', ...document })
    let examples = 0
    for (const { operationId, requestBody, responses } of described)
      for (const [type, { schema, example }] of [requestBody, ...Object.values(responses)].flatMap(({ content }) =>
        Object.entries(content ?? {}),
      )) {
        if (example === undefined) continue
        examples++
        const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Schema
        const passes = ajv.compile(whole)
        expect([operationId, type, passes(example), passes.errors]).toEqual([operationId, type, true, null])
      }
    expect(examples).toBeGreaterThan(operations.length * 1.9)
  })

  it('asks for what the operations accept, and no more', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    let bounds = 0
    for (const operation of operations) {
      const example = exampleOfMembers(operation.parameters, 'asked')
      expect([operation.path, readParameters(operation, example).ok]).toEqual([operation.path, true])
      const passes = ajv.compile(schemaOfMembers(operation.parameters, 'asked'))
      for (const [name, field] of Object.entries(operation.parameters)) {
        const beyond: unknown[] = []
        if (field.kind === 'text' && field.max !== undefined) beyond.push('x'.repeat(field.max + 1))
        if (field.kind === 'text' && field.required) beyond.push('')
        if (field.kind === 'integer' && field.max !== undefined) beyond.push(field.max + 1)
        if (field.kind === 'integer' && field.min !== undefined) beyond.push(field.min - 1)
        if (field.kind === 'list' && field.max !== undefined) beyond.push(Array(field.max + 1).fill('x'))
        for (const value of beyond) {
          bounds++
          const given = { ...example, [name]: value }
          expect([operation.path, name, passes(given)]).toEqual([operation.path, name, false])
          expect([operation.path, name, readParameters(operation, given).ok]).toEqual([operation.path, name, false])
        }
      }
    }
    expect(bounds).toBeGreaterThan(300)
  })
})

describe('docs/asyncapi.json', () => {
  const document = read(asyncApi())
  let judge: (given: unknown) => boolean
  beforeAll(() => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    judge = ajv.compile(asyncApiSpecs.schemasWithoutId['3.0.0'] as Schema) as (given: unknown) => boolean
  })

  it('is AsyncAPI 3.0', () => {
    const passes = judge as typeof judge & { readonly errors?: unknown }
    expect([passes(document), passes.errors]).toEqual([true, null])
  })

  it.each<[string, (broken: ReturnType<typeof asyncApi>) => unknown]>([
    ['without a version', (broken) => ({ ...broken, asyncapi: undefined })],
    [
      'with an action that is none',
      (broken) => {
        Object.assign(broken.operations.push, { action: 'shout' })
        return broken
      },
    ],
    [
      'with a message that is a text',
      (broken) => {
        Object.assign(broken.channels.link.messages, { login: 'login' })
        return broken
      },
    ],
    [
      'with a server that has no protocol',
      (broken) => {
        Object.assign(broken.servers.media, { protocol: undefined })
        return broken
      },
    ],
  ])('is refused %s', (_, breaking) => {
    expect(judge(read(breaking(structuredClone(document))))).toBe(false)
  })

  it('has each request with its answer, each push and each event', () => {
    const { link, events } = document.channels
    expect(Object.keys(link.messages)).toHaveLength(
      2 * Object.keys(linkRequests).length + 1 + Object.keys(linkPushes).length,
    )
    expect(Object.keys(events.messages)).toEqual(
      expect.arrayContaining(['snapshot', 'push', 'hold', 'heartbeat', 'recording']),
    )
    const text = JSON.stringify(document)
    for (const [, path] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path!.split('/').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
      expect([path, typeof found]).toEqual([path, 'object'])
    }
  })

  it('has examples that pass their schemas, and that the link accepts', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const messages = [
      ...Object.values(document.channels.link.messages),
      ...Object.values(document.channels.events.messages),
    ]
    for (const { name, payload, examples } of messages) {
      const passes = ajv.compile(payload)
      expect([name, passes(examples[0]!.payload), passes.errors]).toEqual([name, true, null])
      expect([name, passes({ ...examples[0]!.payload, t: 'other', type: 'other' })]).toEqual([name, false])
    }
    const requests = Object.entries<{ readonly parameters: Fields }>(linkRequests)
    for (const [kind, { parameters }] of requests) {
      const example = exampleOfMembers(parameters, 'asked')
      const reading = readParameters({ parameters, invalid: 414, encoding: 'json' }, example)
      expect([kind, reading.ok]).toEqual([kind, true])
    }
  })
})
