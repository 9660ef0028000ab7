import { describe, expect, it } from '@jest/globals';
import { sessionState } from './session-state';
import { sendWithStepUp, stepUp } from './step-up';

const answer = (status: number, code?: string) =>
  ({ status, clone: () => ({ json: async () => ({ code }) }) }) as unknown as Response;
const requestOf = (method: string): Request => ({ method, clone: () => requestOf(method) }) as unknown as Request;
const turns = () => new Promise((resolve) => setTimeout(resolve));

/** Sends a request to a server that answers so, one after the other, and says how often it was asked. */
function sending(answers: Response[], method = 'PUT') {
  let sent = 0;
  const done = sendWithStepUp(requestOf(method), async () => answers[sent++] as Response);
  return { done, sent: () => sent };
}

describe(sendWithStepUp.name, () => {
  it('asks in place, and sends the request again until the login is fresh', async () => {
    const old = () => answer(401, 'STEP_UP_REQUIRED');
    const request = sending([old(), old(), answer(200)]);
    for (const sent of [1, 2]) {
      await turns();
      expect([stepUp.isAsked(), request.sent()]).toEqual([true, sent]);
      stepUp.answer(true);
    }
    expect((await request.done).status).toBe(200);
    expect([stepUp.isAsked(), request.sent()]).toEqual([false, 3]);
  });

  it('leaves a request that is given up as it was answered', async () => {
    const request = sending([answer(401, 'STEP_UP_REQUIRED')]);
    await turns();
    stepUp.answer(false);
    expect((await request.done).status).toBe(401);
    expect(request.sent()).toBe(1);
  });

  it('asks once for requests that wait together, and a new login answers too', async () => {
    const requests = [1, 2].map(() => sending([answer(401, 'STEP_UP_REQUIRED'), answer(200)]));
    await turns();
    sessionState.set('ended');
    expect(stepUp.isAsked()).toBe(true);
    sessionState.set('open');
    expect(await Promise.all(requests.map(({ done }) => done))).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  it('asks for nothing when a login has ended, and never for what is only read', async () => {
    for (const [method, code] of [
      ['PUT', 'UNAUTHENTICATED'],
      ['GET', 'STEP_UP_REQUIRED'],
    ] as const)
      expect((await sending([answer(401, code)], method).done).status).toBe(401);
    expect(stepUp.isAsked()).toBe(false);
  });
});
