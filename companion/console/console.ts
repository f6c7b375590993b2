import { operations } from '../../contract/operations/index.ts'
import type { Operation } from '../../contract/operation.ts'
import type { ApiCall } from '../../contract/rpc/index.ts'
import { signatureHeaders } from '../../contract/signing.ts'
import { answerFault } from '../../contract/validate.ts'
import type { Client } from '../client/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { curlOf } from './curl.ts'
import { mask, maskAnswer, maskText } from './mask.ts'

/** Single API calls of a developer. */
export type ApiConsole = ReturnType<typeof createConsole>

/** In characters. */
const maxShown = 100_000

const find = (path: string, isExtended: boolean): Operation => {
  const operation = operations.find((one) => one.path === path)
  if (!operation || operation.stream || operation.pending)
    throw new Failure('absent', 'no operation that can be called has this path')
  if (operation.document === 'local' && !isExtended)
    throw new Failure('absent', 'the service of this profile does not have this operation')
  return operation
}

const bodyText = (
  operation: Operation,
  body: string | Buffer,
  parameters: Readonly<Record<string, unknown>>,
): string => {
  if (operation.encoding === 'json') return JSON.stringify(mask(operation.parameters, parameters), null, 2)
  if (typeof body !== 'string') return `multipart/form-data, ${body.length} bytes`
  return maskText(operation.parameters, body)
}

/** Makes the console. */
export function createConsole(ports: {
  readonly clock: Clock
  readonly client: (profileId: string) => Promise<Client>
  readonly isExtended: (profileId: string) => boolean
}) {
  return {
    /** Throws Failure `absent` for other paths, streams, and extensions where the service has none. */
    call: async (profileId: string, path: string, parameters: Readonly<Record<string, unknown>>): Promise<ApiCall> => {
      const operation = find(path, ports.isExtended(profileId))
      const client = await ports.client(profileId)
      const at = ports.clock.now()
      const { url, headers, body, answer } = await client.exchange(operation, parameters)
      const secret = new Set<string>([signatureHeaders.checkSum, signatureHeaders.appKey])
      let parsed: unknown
      try {
        parsed = JSON.parse(answer.text)
      } catch {
        parsed = undefined
      }
      const code =
        typeof parsed === 'object' && parsed !== null && 'code' in parsed && typeof parsed.code === 'number'
          ? parsed.code
          : null
      const shown = parsed === undefined ? answer.text : JSON.stringify(maskAnswer(operation.answer, parsed), null, 2)
      const sent = bodyText(operation, body, parameters)
      return {
        path,
        url: url.href,
        at,
        milliseconds: ports.clock.now() - at,
        headers: Object.entries(headers).map(([name, value]) => ({
          name,
          value: secret.has(name) ? `${value.slice(0, 4)}…` : value,
        })),
        body: sent.slice(0, maxShown),
        curl: curlOf(operation, url, mask(operation.parameters, parameters)).slice(0, maxShown),
        status: answer.status,
        code,
        answer: shown.slice(0, maxShown),
        fault: answer.status === 200 ? (answerFault(operation, parsed) ?? null) : null,
        cut: shown.length > maxShown,
      }
    },
  }
}
