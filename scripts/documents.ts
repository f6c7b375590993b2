import { readFileSync, writeFileSync } from 'node:fs'
import { errorTable } from '../contract/errors.ts'
import type { Field, Fields } from '../contract/field.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations/index.ts'

/**
 * Writes docs/operations.md and docs/errors.md from the contract; with `--check` it only compares and fails when one is out of date.
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

function operationText(op: Operation): string {
  const lines = [`### ${op.path}`, '', `${op.summary}${op.pending ? ' *Not served yet.*' : ''}`, '']
  if (Object.keys(op.parameters).length) lines.push(...table(op.parameters), '')
  lines.push(
    op.stream ? '- Answer: JSON lines without end' : `- Answer: ${answerText(op.answer)}`,
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
    'Served by the embedded service only, signed like the live operations; bodies are JSON.',
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

const check = process.argv.includes('--check')
const stale: string[] = []
for (const [name, content] of [
  ['operations.md', operationsPage()],
  ['errors.md', errorsPage()],
] as const) {
  const path = new URL(`../docs/${name}`, import.meta.url)
  if (!check) writeFileSync(path, content)
  else if (readFileSync(path, 'utf8') !== content) stale.push(`docs/${name}`)
}
if (stale.length) {
  console.error(`out of date: ${stale.join(', ')}; run npm run documents`)
  process.exitCode = 1
}
