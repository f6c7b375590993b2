import { operations } from '../../contract/operations/index.ts'
import type { ApiCall } from '../../contract/rpc/index.ts'

/** What the companion would answer a call of the console with, in the shapes of the contract; invented values. */
export function fakeCall(
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  at: number,
  failing: boolean,
): ApiCall {
  const operation = operations.find((one) => one.path === path)
  const code = failing ? (operation?.codes.find((each) => each === 611 || each === 414) ?? 631) : 200
  const body = failing
    ? { code, [operation?.document === 2 ? 'desc' : 'msg']: 'a channel with this name exists' }
    : {
        code,
        ret: {
          cid: '7e3a91c40123456789abcdef01234567',
          ctime: at,
          name: parameters['name'] ?? 'Evening_show',
          pushUrl: '••••••••',
        },
      }
  return {
    path,
    url: `http://127.0.0.1:8710${path}`,
    at,
    milliseconds: 7,
    headers: [
      { name: 'AppKey', value: '9a41…' },
      { name: 'Nonce', value: '5f0c2e8817b3' },
      { name: 'CurTime', value: '1795351572' },
      { name: 'CheckSum', value: 'c07d…' },
      { name: 'content-type', value: 'application/json;charset=utf-8' },
    ],
    body: JSON.stringify(parameters, null, 2),
    curl: `curl -sS -X POST 'http://127.0.0.1:8710${path}'`,
    status: 200,
    code,
    answer: JSON.stringify(body, null, 2),
    fault: null,
    cut: false,
  }
}
