import packageFile from '../../package.json' with { type: 'json' }
import type { Field, Fields } from '../../contract/field.ts'
import { linkClose, linkLimits, linkPath, linkPushes, linkRequests } from '../../contract/link/frames.ts'
import { localEventMembers } from '../../contract/local-events.ts'
import { local } from '../../contract/operations/index.ts'
import { signatureHeaders } from '../../contract/signing.ts'
import { exampleOfMembers, schemaOfMembers, type Schema } from './json-schema.ts'

/** Makes docs/asyncapi.json: the frames of the client link and the lines of the event stream, as AsyncAPI 3.0. */

const refer = (path: string) => ({ $ref: `#/${path}` })
const jsonType = 'application/json'

interface Message {
  readonly name: string
  readonly contentType: string
  readonly payload: Schema
  readonly examples: readonly [{ readonly payload: object }]
}

/** An object with a member that names its kind, and others before those of the contract. */
function framed(kind: Schema, members: Fields, direction: 'asked' | 'answered'): Schema {
  const schema = schemaOfMembers(members, direction)
  return {
    ...schema,
    properties: { ...kind, ...(schema.properties as Schema | undefined) },
    required: [...Object.keys(kind), ...((schema.required as string[] | undefined) ?? [])],
  }
}

const message = (name: string, payload: Schema, example: object): Message => ({
  name,
  contentType: jsonType,
  payload,
  examples: [{ payload: example }],
})

const id = { type: 'integer', description: "The client's number of the request." }
const requests = Object.entries<{ readonly parameters: Fields; readonly answer: Fields }>(linkRequests)

const requestMessages = requests.map(([t, { parameters }]): [string, Message] => [
  t,
  message(t, framed({ t: { const: t }, id }, parameters, 'asked'), {
    t,
    id: 1,
    ...exampleOfMembers(parameters, 'asked'),
  }),
])
const answerMessages = requests.map(([t, { answer }]): [string, Message] => [
  `${t}Ok`,
  message(`${t}Ok`, framed({ t: { const: 'ok' }, id }, answer, 'answered'), {
    t: 'ok',
    id: 1,
    ...exampleOfMembers(answer, 'answered'),
  }),
])
const errorMembers: Readonly<Record<string, Field>> = {
  code: { kind: 'integer', summary: 'As in errors.md.' },
  desc: { kind: 'text', summary: 'For people.' },
  reason: { kind: 'text', summary: 'For programs.', optional: true },
}
const errorMessage = message('error', framed({ t: { const: 'error' }, id }, errorMembers, 'answered'), {
  t: 'error',
  id: 1,
  ...exampleOfMembers(errorMembers, 'answered'),
})
const pushMessages = Object.entries<Fields>(linkPushes).map(([t, members]): [string, Message] => [
  `${t}Push`,
  message(`${t}Push`, framed({ t: { const: t } }, members, 'answered'), {
    t,
    ...exampleOfMembers(members, 'answered'),
  }),
])
const linkMessages: Readonly<Record<string, Message>> = Object.fromEntries([
  ...requestMessages,
  ...answerMessages,
  ['error', errorMessage],
  ...pushMessages,
])

const eventMessages: Readonly<Record<string, Message>> = Object.fromEntries(
  Object.entries<Fields>(localEventMembers).map(([type, members]) => [
    type,
    message(type, framed({ type: { const: type } }, members, 'answered'), {
      type,
      ...exampleOfMembers(members, 'answered'),
    }),
  ]),
)

const requestOperations = requests.map(([t]) => [
  t,
  {
    action: 'receive',
    channel: refer('channels/link'),
    messages: [refer(`channels/link/messages/${t}`)],
    reply: {
      channel: refer('channels/link'),
      messages: [refer(`channels/link/messages/${t}Ok`), refer('channels/link/messages/error')],
    },
  },
])

const introduction = [
  'Generated from `contract/` by `npm run documents`. It describes the service: clients send what it receives.',
  'The client link is a WebSocket with one JSON object in each text frame; a request is answered by `ok` or ' +
    '`error` with its `id`, everything else is a push. link.md tells how they belong together. The event stream is ' +
    'the endless answer of a signed call, one JSON object in each line.',
].join('\n\n')

const linkText =
  `Frames of at most ${linkLimits.frame / 1024} KiB, without compression. The first frame is \`login\`, within ` +
  `${linkLimits.login / 1000} s. Closed with ${linkClose.login} without a valid log-in, ${linkClose.kicked} for ` +
  `who is put out, ${linkClose.slow} for who reads too slowly, ${linkClose.flood} for more than ` +
  `${linkLimits.framesIn10s} frames in 10 s. Unknown members are to be ignored.`
const { after } = local.events.parameters

/** The document. */
export const asyncApi = () => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Sidestage',
    version: packageFile.version,
    license: { name: packageFile.license },
    description: introduction,
  },
  defaultContentType: jsonType,
  servers: {
    media: {
      host: '127.0.0.1:8711',
      protocol: 'ws',
      description: 'The media listener, where no other address was set; `wss` with a certificate.',
    },
    api: {
      host: '127.0.0.1:8710',
      protocol: 'http',
      description: 'The api listener, where no other address was set; `https` with a certificate.',
      security: [refer('components/securitySchemes/signature')],
    },
  },
  channels: {
    link: {
      address: linkPath,
      title: 'Client link',
      description: linkText,
      servers: [refer('servers/media')],
      messages: linkMessages,
      bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
    },
    events: {
      address: local.events.path,
      title: 'Event stream',
      description: local.events.summary,
      servers: [refer('servers/api')],
      messages: eventMessages,
    },
  },
  operations: {
    ...Object.fromEntries(requestOperations),
    push: {
      action: 'send',
      channel: refer('channels/link'),
      summary: 'What a session is told without having asked.',
      messages: pushMessages.map(([name]) => refer(`channels/link/messages/${name}`)),
    },
    tell: {
      action: 'send',
      channel: refer('channels/events'),
      summary: local.events.summary,
      description: `Asked for by a signed POST of JSON. \`after\`: ${after.summary}`,
      messages: Object.keys(eventMessages).map((type) => refer(`channels/events/messages/${type}`)),
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    },
  },
  components: {
    securitySchemes: {
      signature: {
        type: 'httpApiKey',
        in: 'header',
        name: signatureHeaders.checkSum,
        description:
          `Lowercase SHA1 of AppSecret + Nonce + CurTime, with the headers ${signatureHeaders.appKey}, ` +
          `${signatureHeaders.nonce} and ${signatureHeaders.curTime} beside it; openapi.json has each.`,
      },
    },
  },
})
