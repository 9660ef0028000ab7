import { sessionState } from './session-state';

/** The error of a change that needs a fresh login. The login itself goes on. */
export const STEP_UP_REQUIRED = 'STEP_UP_REQUIRED';

type Waiting = (isProved: boolean) => void;

const waiting = new Set<Waiting>();
const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

/** The question for password and code that changes wait for. Requests that wait at the same time share it. */
export const stepUp = {
  isAsked: (): boolean => waiting.size > 0,
  /** Whether the admin has shown password and code; the pages stay as they are meanwhile. */
  ask: (): Promise<boolean> =>
    new Promise((resolve) => {
      waiting.add(resolve);
      announce();
    }),
  answer(isProved: boolean): void {
    const answered = [...waiting];
    waiting.clear();
    announce();
    for (const resolve of answered) resolve(isProved);
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

// A new login is fresh.
sessionState.subscribe(() => {
  if (sessionState.get() === 'open') stepUp.answer(true);
});

async function needsStepUp(answer: Response): Promise<boolean> {
  if (answer.status !== 401) return false;
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return Object(body).code === STEP_UP_REQUIRED;
}

/** Sends a request. Where it needs a fresh login, it asks for password and code in place, and sends it again. */
export async function sendWithStepUp(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.method === 'GET') return send(request);
  const again = request.clone();
  const answer = await send(request);
  return (await needsStepUp(answer)) && (await stepUp.ask()) ? sendWithStepUp(again, send) : answer;
}
