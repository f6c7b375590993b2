import packageFile from '../../package.json' with { type: 'json' }
import { conversationCopy, copyHeaders, roomCopy, sessionCopy } from '../../contract/callbacks/copy.ts'
import { liveCallback } from '../../contract/callbacks/live.ts'
import { deliveryTimeout, recordingCallback, resendAfter, signHeader } from '../../contract/callbacks/recording.ts'
import { detailHeader, reasonHeader, refusalReasons } from '../../contract/catalogue/refusal-reasons.ts'
import { errorTable } from '../../contract/errors.ts'
import { localEventMembers } from '../../contract/local-events.ts'
import type { Fields } from '../../contract/field.ts'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations/index.ts'
import { checkSumLifetime, curTimePattern, maxNonce, signatureHeaders } from '../../contract/signing.ts'
import { messagingPrefix } from '../../service/http/failures.ts'
import { requestIdHeader } from '../../service/http/request-ids.ts'
import { exampleOfMembers, schemaOfMembers, type Schema } from './json-schema.ts'

/** Makes docs/openapi.json: the operations and what the service posts to others, as OpenAPI 3.1. */

const isMessaging = ({ document }: Operation): boolean => document === 2 || document === 3
const pathOf = (operation: Operation): string => (isMessaging(operation) ? messagingPrefix : '') + operation.path
const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** A name for generated clients: the words of the path. */
const idOf = ({ path, document }: Operation): string => {
  const words = path.replace(/\.action$/, '').split(/[/_.]/)
  const named = words.filter((word) => word !== '' && word !== 'app' && word !== 'local')
  const [first = '', ...rest] = document === 'local' ? ['local', ...named] : named
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

/** Content types of bodies. */
const contentTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const

/** The part of a multipart form that is the file itself. */
const filePart = 'content'

function requestBody({ encoding, parameters, document }: Operation) {
  const closed = document === 'local'
  const schema = schemaOfMembers(parameters, 'asked', { closed })
  const example = exampleOfMembers(parameters, 'asked')
  if (encoding === 'multipart') {
    const file = { contentMediaType: 'application/octet-stream', description: parameters[filePart]!.summary }
    const content = { ...schema, properties: { ...(schema.properties as Schema), [filePart]: file } }
    return { required: true, content: { [contentTypes.multipart]: { schema: content } } }
  }
  const inJson = Object.entries(parameters).filter(([, { kind }]) => kind === 'list' || kind === 'object')
  const asText = Object.fromEntries(inJson.map(([name]) => [name, { contentType: contentTypes.json }]))
  const media = { schema, example, ...(encoding === 'form' && inJson.length && { encoding: asText }) }
  return { required: Object.keys(example).length > 0, content: { [contentTypes[encoding]]: media } }
}

const codesText = ({ codes }: Operation): string =>
  codes.map((code) => `- ${code}: ${errorTable[code].meaning}`).join('\n')

function answers(operation: Operation) {
  const refusals = operation.codes.filter((code) => code !== 200)
  const refused = {
    allOf: [
      refer('schemas', isMessaging(operation) ? 'MessagingRefusal' : 'LiveRefusal'),
      { properties: { code: { enum: refusals } } },
    ],
  }
  const outside = { default: refer('responses', 'Outside') }
  const headers = Object.fromEntries(
    [requestIdHeader, reasonHeader, detailHeader].map((name) => [name, refer('headers', name)]),
  )
  if (operation.stream) {
    const content = {
      'application/x-ndjson': { schema: refer('schemas', 'LocalEvent') },
      [contentTypes.json]: { schema: refused },
    }
    const description = `Lines of JSON without end, each one a LocalEvent; or a refusal.\n\n${codesText(operation)}`
    return { 200: { description, headers, content }, ...outside }
  }
  const done = schemaOfMembers(operation.answer, 'answered')
  const properties = { code: { const: 200 }, ...(done.properties as Schema | undefined) }
  const success = { ...done, properties, required: ['code', ...((done.required as string[] | undefined) ?? [])] }
  const example = { code: 200, ...exampleOfMembers(operation.answer, 'answered') }
  return {
    200: {
      description: codesText(operation),
      headers,
      content: { [contentTypes.json]: { schema: { oneOf: [success, refused] }, example } },
    },
    ...outside,
  }
}

function notes({ rates, startFlag, pending, document }: Operation): string[] {
  return [
    ...(document === 'local' ? ['Of the embedded service only; an unknown parameter is refused.'] : []),
    ...(startFlag ? [`Served only with the start flag \`--${startFlag}\`; without it the path is unknown.`] : []),
    ...(pending ? ['Not served yet.'] : []),
    ...(rates ?? []).map(
      ({ calls, seconds, per, code }) => `At most ${calls} calls in ${seconds} s per ${per}, then ${code}.`,
    ),
  ]
}

const pathItem = (operation: Operation) => ({
  post: {
    operationId: idOf(operation),
    tags: [operation.group],
    summary: operation.summary,
    ...(notes(operation).length && { description: notes(operation).join('\n\n') }),
    requestBody: requestBody(operation),
    responses: answers(operation),
  },
})

const header = (name: string, description: string) => ({
  in: 'header',
  name,
  required: true,
  description,
  schema: { type: 'string' },
})

/** What the service posts to an address that an application has set. */
const posted = (
  operationId: string,
  summary: string,
  description: string,
  headers: readonly object[],
  bodies: readonly Fields[],
) => {
  const [first, ...others] = bodies.map((members) => schemaOfMembers(members, 'answered'))
  const schema = others.length ? { oneOf: [first, ...others] } : first
  return {
    post: {
      operationId,
      summary,
      description,
      security: [],
      parameters: headers,
      requestBody: {
        required: true,
        content: { [contentTypes.json]: { schema, example: exampleOfMembers(bodies[0]!, 'answered') } },
      },
      responses: { 200: { description: 'Delivered. Every other status is sent again.' } },
    },
  }
}

const seconds = (waits: readonly number[]): string => waits.map((wait) => wait / 1000).join(', ')
const signed = [
  header(
    signHeader,
    'Lowercase MD5 of the fields of the body, sorted by name and joined as name=value with &, and the signing key.',
  ),
]
const again =
  `Sent again after ${seconds(resendAfter)} s where the answer is not 200 within ` +
  `${deliveryTimeout / 1000} s, with the same nId.`

const webhooks = {
  recordingReady: posted(
    'recordingReady',
    'A recorded file is ready',
    `Posted to the address of /app/record/setcallback. ${again}`,
    signed,
    [recordingCallback],
  ),
  liveChanged: posted(
    'liveChanged',
    'A broadcast has begun or ended',
    `Posted to the address of /local/callback/setLive, in order for each channel. ${again}`,
    signed,
    [liveCallback],
  ),
  messageCopy: posted(
    'messageCopy',
    'A copy of a message, a log-in or a line of a room',
    'Posted to the address of /local/copy/set, in order within a conversation.',
    [
      header(copyHeaders.appKey, 'The application.'),
      header(copyHeaders.curTime, 'When it is sent, in ms.'),
      header(copyHeaders.md5, 'MD5 of the body.'),
      header(copyHeaders.checkSum, 'Lowercase SHA1 of AppSecret, MD5 and CurTime.'),
    ],
    [conversationCopy, sessionCopy, roomCopy],
  ),
}

const refusal = (sentence: 'msg' | 'desc', description: string): Schema => ({
  type: 'object',
  description,
  properties: { code: { type: 'integer' }, [sentence]: { type: 'string', description: 'For people.' } },
  required: ['code', sentence],
})

const localEvent = {
  oneOf: Object.entries(localEventMembers).map(([type, members]) => {
    const schema = schemaOfMembers(members as Fields, 'answered')
    return {
      ...schema,
      title: type,
      properties: { type: { const: type }, ...(schema.properties as Schema) },
      required: ['type', ...((schema.required as string[] | undefined) ?? [])],
    }
  }),
}

const signature = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description })

const introduction = [
  'Generated from `contract/` by `npm run documents`.',
  'Every operation is a POST. The status of an answer is 200 and its `code` tells the outcome: 200 is success, the ' +
    'others are in errors.md with what to do next. Failures outside of operations have the code as their status.',
  'Each call is signed by four headers: `AppKey` names the application, `Nonce` is any text of at most ' +
    `${maxNonce} printable ASCII characters, \`CurTime\` the time in seconds since 1970, at most ` +
    `${checkSumLifetime} s off, and \`CheckSum\` the lowercase SHA1 of AppSecret, Nonce and CurTime, one after the ` +
    'other. The AppSecret itself is never sent.',
  'Values may come loosely typed: an integer as a decimal string, true and false also as 1 and 0. Lists and objects ' +
    'in forms are JSON text. An empty value counts as absent.',
].join('\n\n')

const tags = [...new Set(operations.map(({ group }) => group))].map((name) => ({ name }))

/** The document. */
export const openApi = () => ({
  openapi: '3.1.1',
  info: {
    title: 'Sidestage',
    version: packageFile.version,
    license: { name: packageFile.license, identifier: packageFile.license },
    description: introduction,
  },
  servers: [{ url: 'http://127.0.0.1:8710', description: 'The api listener, where no other address was set.' }],
  security: [Object.fromEntries(Object.values(signatureHeaders).map((name) => [name, []]))],
  tags,
  paths: Object.fromEntries(operations.map((operation) => [pathOf(operation), pathItem(operation)])),
  webhooks,
  components: {
    securitySchemes: {
      [signatureHeaders.appKey]: signature(signatureHeaders.appKey, 'The application.'),
      [signatureHeaders.nonce]: signature(
        signatureHeaders.nonce,
        `Any text, at most ${maxNonce} characters of printable ASCII.`,
      ),
      [signatureHeaders.curTime]: signature(
        signatureHeaders.curTime,
        `Seconds since 1970 (\`${curTimePattern.source}\`), at most ${checkSumLifetime} s off.`,
      ),
      [signatureHeaders.checkSum]: signature(
        signatureHeaders.checkSum,
        'Lowercase hexadecimal SHA1 of AppSecret + Nonce + CurTime.',
      ),
    },
    headers: {
      [requestIdHeader]: { description: 'Id of the request, as in the log.', schema: { type: 'string' } },
      [reasonHeader]: {
        description: 'Why a call was refused, for programs.',
        schema: { type: 'string', enum: refusalReasons },
      },
      [detailHeader]: { description: 'What is wrong with a signature, in words.', schema: { type: 'string' } },
    },
    schemas: {
      LiveRefusal: refusal('msg', 'A refusal of live and extension operations.'),
      MessagingRefusal: refusal('desc', 'A refusal of messaging and chatrooms.'),
      LocalEvent: localEvent,
    },
    responses: {
      Outside: {
        description:
          'A failure outside of operations, whose status is the code: an unknown path, a body that is too large, too ' +
          'much time taken (429 with Retry-After), or a service that closes (503).',
        content: {
          [contentTypes.json]: {
            schema: { oneOf: [refer('schemas', 'LiveRefusal'), refer('schemas', 'MessagingRefusal')] },
          },
        },
      },
    },
  },
})
