import { expect, it } from 'vitest'
import { proxySnippet } from './snippet.ts'

const target = '127.0.0.1:8711'

it('a snippet has the values of the service', () => {
  const certificate = { certificateFile: '/a "b"/chain.pem', keyFile: '/a/key.pem' }
  const { text } = proxySnippet('nginx', { publicUrl: 'https://live.example.com:8443/tv', target, certificate })
  for (const line of [
    'listen 8443 ssl;',
    'server_name live.example.com;',
    'ssl_certificate "/a \\"b\\"/chain.pem";',
    'location /tv/live/ {',
    'proxy_pass http://127.0.0.1:8711/live/;',
    'proxy_buffering off;',
    'location = /tv/link {',
    'proxy_set_header X-Forwarded-For $remote_addr;',
  ])
    expect(text).toContain(line)
  const caddy = proxySnippet('caddy', { publicUrl: 'https://live.example.com/tv', target }).text
  expect(caddy).toContain('https://live.example.com {')
  expect(caddy).toContain('handle_path /tv/* {')
  expect(caddy).not.toContain('tls ')
})
