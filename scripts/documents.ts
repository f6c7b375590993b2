import { readFileSync, writeFileSync } from 'node:fs'
import { procedures } from '../companion/rpc/procedures.ts'
import { reasons } from '../contract/catalogue/reasons.ts'
import { errorTable } from '../contract/errors.ts'
import type { Field, Fields } from '../contract/field.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations/index.ts'
import { events } from '../contract/rpc/events.ts'
import type { SecretPlaces } from '../contract/rpc/secret.ts'
import { asyncApi } from './documents/asyncapi.ts'
import { openApi } from './documents/openapi.ts'

/**
 * Writes operations.md, errors.md, rpc.md, openapi.json and asyncapi.json of docs/ from the contract; `--check` only
 * compares them.
 */
const head = (title: string): string =>
  `# ${title}\n\nGenerated from \`contract/\` by \`npm run documents\`; edit the contract, not this page.\n`
const cell = (value: string): string => value.replaceAll('|', '\\|')

function typeOf(field: Field): string {
  switch (field.kind) {
    case 'list':
      return `list of ${typeOf(field.of)}`
    case 'object':
      return `{${Object.keys(field.members).join(', ')}}`
    default:
      return field.kind
  }
}

function rules(field: Field): string {
  const parts: string[] = []
  if (field.required) parts.push('required')
  if (field.also) parts.push(`also as ${field.also.map((name) => `\`${name}\``).join(', ')}`)
  if ('oneOf' in field && field.oneOf) parts.push(`one of ${field.oneOf.join(', ')}`)
  if ('min' in field && field.min !== undefined) parts.push(`from ${field.min}`)
  if ('max' in field && field.max !== undefined)
    parts.push(
      field.kind === 'text'
        ? `at most ${field.max} characters`
        : field.kind === 'list'
          ? `at most ${field.max} elements`
          : `to ${field.max}`,
    )
  if ('whole' in field && field.whole) parts.push('a fraction is cut off')
  if ('lowerTo' in field && field.lowerTo !== undefined) parts.push(`above ${field.lowerTo} counts as ${field.lowerTo}`)
  if ('pattern' in field && field.pattern !== undefined) parts.push(`\`${field.pattern}\``)
  if ('default' in field && field.default !== undefined) parts.push(`default ${JSON.stringify(field.default)}`)
  if (field.whenEmpty !== undefined) parts.push(`${field.whenEmpty} when empty`)
  if (field.whenInvalid !== undefined) parts.push(`${field.whenInvalid} when not acceptable`)
  return parts.join('; ')
}

const table = (fields: Fields): string[] => [
  '| Parameter | Type | Rule | Meaning |',
  '|---|---|---|---|',
  ...Object.entries(fields).map(
    ([name, field]) =>
      `| \`${name}\` | ${cell(typeOf(field))} | ${cell(rules(field))} | ${cell(field.summary ?? '')} |`,
  ),
]

const answerText = (fields: Fields): string => {
  const parts = Object.entries(fields).map(([name, field]) =>
    field.kind === 'object'
      ? `\`${name}\` {${Object.entries(field.members)
          .map(([member, value]) => `${member}${value.optional ? '?' : ''}: ${typeOf(value)}`)
          .join(', ')}}`
      : `\`${name}\`: ${typeOf(field)}`,
  )
  return parts.length ? parts.join('; ') : 'the code only'
}

/** What members of an answer mean, where the contract says it; `[]` stands for each element of a list. */
function meanings(fields: Fields, within = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const place = `${within}${name}`
    let [inner, path]: [Field, string] = [field, place]
    while (inner.kind === 'list') [inner, path] = [inner.of, `${path}[]`]
    return [
      ...(field.summary === undefined ? [] : [`  - \`${place}\`: ${field.summary}`]),
      ...(inner.kind === 'object' ? meanings(inner.members, `${path}.`) : []),
    ]
  })
}

function operationText(op: Operation): string {
  const lines = [`### ${op.path}`, '', `${op.summary}${op.pending ? ' *Not served yet.*' : ''}`, '']
  if (Object.keys(op.parameters).length) lines.push(...table(op.parameters), '')
  lines.push(
    op.stream ? '- Answer: JSON lines without end' : `- Answer: ${answerText(op.answer)}`,
    ...(op.stream ? [] : meanings(op.answer)),
    `- Codes: ${op.codes.join(', ')}`,
  )
  if (op.startFlag)
    lines.push(`- Served only with the start flag \`--${op.startFlag}\`; without it the path is unknown`)
  for (const rate of op.rates ?? [])
    lines.push(`- At most ${rate.calls} calls in ${rate.seconds} s per ${rate.per}, then ${rate.code}`)
  return lines.join('\n')
}

const groups = [
  [
    'Live channels (document 1)',
    'Paths are appended to the base URL; bodies are JSON.',
    (op: Operation) => op.document === 1,
  ],
  [
    'Messaging (document 2)',
    'Paths are appended to the messaging base URL; bodies are forms.',
    (op: Operation) => op.document === 2,
  ],
  [
    'Chatrooms (document 3)',
    'Paths are appended to the messaging base URL; bodies are forms.',
    (op: Operation) => op.document === 3,
  ],
  [
    'Extension operations of the embedded service',
    'Served by the embedded service only, signed like the live operations; bodies are JSON. ' +
      'A parameter that an operation does not have is refused with its code of an invalid parameter (631); ' +
      'the answer names those that may be meant.',
    (op: Operation) => op.document === 'local',
  ],
] as const

function operationsPage(): string {
  const parts = [head('Operations')]
  for (const [title, intro, belongs] of groups) {
    const own = operations.filter(belongs)
    if (own.length) parts.push(`## ${title}\n\n${intro}\n`, ...own.map((op) => `${operationText(op)}\n`))
  }
  return parts.join('\n')
}

function errorsPage(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { meaning, sentence, next }]) =>
      `| ${code} | ${cell(meaning)} | ${cell(`${sentence.en} ${next.en}`.trim())} | ${cell(`${sentence.zh}${next.zh}`)} |`,
  )
  return [head('Result codes'), '| Code | Meaning | English | 中文 |', '|---|---|---|---|', ...rows, ''].join('\n')
}

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** What a moderator's page must name, in words. */
const seatNames = {
  nothing: 'yes',
  profile: 'of the service of their room',
  room: 'on their room',
  channel: 'on the channel of their room',
  call: 'on their room',
} as const

function secretNames(places: SecretPlaces | undefined, path = ''): string[] {
  if (places === undefined) return []
  if (places === true) return [path]
  return Object.entries(places).flatMap(([name, within]) => secretNames(within, path ? `${path}.${name}` : name))
}

function rpcPage(): string {
  const called = [...procedures].map(([name, { docs, seat, secrets }]) => {
    const moderators = seat ? `${seatNames[seat.names]}${seat.isOfModerators ? ', while they moderate' : ''}` : ''
    const said = [...secretNames(secrets.input), ...secretNames(secrets.output)]
    return `| \`${name}\` | ${cell(docs)} | ${moderators} | ${codes(said)} |`
  })
  const heard = Object.entries(events).map(
    ([type, { docs, audience, slice, kept }]) =>
      `| \`${type}\` | ${cell(docs)} | ${audience.join(', ')} | ${
        slice === null ? 'news' : slice.length ? codes(slice) : 'one'
      } | ${kept ? 'yes' : ''} |`,
  )
  const reasoned = Object.entries(reasons).flatMap(([topic, of]) =>
    Object.entries<readonly string[]>(of).map(([code, params]) => `| ${topic} | \`${code}\` | ${codes(params)} |`),
  )
  return [
    head('Between companion and page'),
    '## Procedures',
    '',
    'Pages of this computer may call each of them. Secrets are members of the input or the output.',
    '',
    '| Procedure | | Moderators | Secrets |',
    '|---|---|---|---|',
    ...called,
    '',
    '## Events',
    '',
    'A newer event of the same slice takes the place of an older one; news has none. A new subscription begins with what is kept.',
    '',
    '| Event | | Heard by | Slice | Kept |',
    '|---|---|---|---|---|',
    ...heard,
    '',
    '## Reasons',
    '',
    'Each is `{code, params}`; the words are in `renderer/features`. `unknown` has the `text` of another version.',
    '',
    '| About | Code | Params |',
    '|---|---|---|',
    ...reasoned,
    '',
  ].join('\n')
}

const check = process.argv.includes('--check')
const stale: string[] = []
for (const [name, content] of [
  ['operations.md', operationsPage()],
  ['errors.md', errorsPage()],
  ['rpc.md', rpcPage()],
  ['openapi.json', `${JSON.stringify(openApi(), null, 1)}\n`],
  ['asyncapi.json', `${JSON.stringify(asyncApi(), null, 1)}\n`],
] as const) {
  const path = new URL(`../docs/${name}`, import.meta.url)
  if (!check) writeFileSync(path, content)
  else if (readFileSync(path, 'utf8') !== content) stale.push(`docs/${name}`)
}
if (stale.length) {
  console.error(`out of date: ${stale.join(', ')}; run npm run documents`)
  process.exitCode = 1
}
